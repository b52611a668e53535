import { isAnimalStoreError } from '../../../../client/src/error.ts';
import { stringify } from '../../../../client/src/json.ts';
import type { CallOptions, WriteOptions } from '../../../../client/src/transport.ts';
import { digestOf } from '../../api/digest.ts';
import { oneAttempt, type Retry } from '../../api/retry.ts';
import type { Api } from '../../api/service.ts';
import type { ImportSource } from '../choose-file.tsx';
import type { ImportRecord } from './import-record.ts';

/** Names a table of a file by its content, the same on every computer. */
export function nameOfSource({ file, table }: ImportSource): string {
  return `${file.digest} ${table.name}`;
}

/** A digest of values, in their order. */
export async function digestOfValues(...values: readonly unknown[]): Promise<string> {
  const digest = await digestOf(new TextEncoder().encode(stringify(values)));
  return digest.slice(0, 32);
}

/** The id of the requests that create an animal or a category. The event of the creation names it. */
export function requestIdOf(record: ImportRecord, part: string | number): string {
  return `import-${record.id}-${part}`;
}

/**
 * Whether this import created a record, by the event of the creation. Undefined if that cannot be known: the server has no events of
 * that age, or the session has no access to events.
 */
export async function isCreator(
  { events }: Pick<Api, 'events'>,
  record: `${'pet' | 'category'}:${bigint}`,
  requestId: string,
  options: CallOptions,
): Promise<boolean | undefined> {
  try {
    const [first] = (await events.list({ record, limit: 1, ...options })).events;
    if (first?.type.endsWith('.created') !== true) return undefined;
    return first.requestId === requestId;
  } catch (error) {
    const isUnknown =
      isAnimalStoreError(error, 'insufficient_scope') ||
      isAnimalStoreError(error, 'cursor_expired');
    if (isUnknown) return undefined;
    throw error;
  }
}

interface Creation<Created> {
  readonly requestId: string;
  /** Of the place in the file and the values, so that the first key is the same on every computer. */
  readonly digest: string;
  readonly send: (options: WriteOptions) => Promise<Created>;
  /** Whether what an earlier request created still exists. */
  readonly exists: (created: Created) => Promise<boolean>;
}

/**
 * Creates a record once, however often it is called, on any computer. After the record was deleted, the next key follows from the
 * key and the id of the deleted record, so that it is created again, and again only once.
 */
export async function createOnce<Created extends { readonly id: bigint }>(
  { retry, signal }: { readonly retry: Retry; readonly signal: AbortSignal },
  { requestId, send, exists, ...creation }: Creation<Created>,
): Promise<{ readonly created: Created; readonly isReplayed: boolean }> {
  let { digest } = creation;
  for (;;) {
    let isReplayed = false;
    const options: WriteOptions = {
      ...oneAttempt,
      signal,
      idempotencyKey: `import-${digest}`,
      headers: { 'x-request-id': requestId },
      onResponse: (response) => {
        isReplayed = response.isReplayed;
      },
    };
    const created = await retry(() => send(options));
    // A browser repeats a request by itself if its connection was closed, so this page may have created it.
    if (!isReplayed || (await exists(created))) return { created, isReplayed };
    digest = await digestOfValues(digest, created.id);
  }
}
