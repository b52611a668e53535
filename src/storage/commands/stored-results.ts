import type { IdempotencyCommands, IdempotencyKey } from '../contract/idempotency-key.ts';
import type { Transaction } from '../queryable.ts';
import { lockWorkspace } from '../records/workspace-row.ts';
import { deleteFirstExpired, statement } from '../statement.ts';
import type { CommandTable } from './command-table.ts';

interface StoredRow {
  readonly key: string;
  readonly requestDigest: string;
  readonly ok: string;
}

const selectStored = statement<StoredRow>(`
  SELECT key, request_digest AS "requestDigest", ok FROM idempotency_keys
  WHERE workspace_id = $1 AND operation_id = $2 AND expires_at > $4 AND key = ANY ($3::text[])`);

const deleteExpired = deleteFirstExpired('idempotency_keys');

/** The result of a command under a key. */
interface StoredResult {
  readonly requestDigest: string;
  readonly ok: unknown;
}

/** Returns the stored results of these keys of one scope, and locks the workspace until the commit. */
export async function findStored(
  transaction: Transaction,
  keys: readonly IdempotencyKey[],
): Promise<ReadonlyMap<string, StoredResult>> {
  const [first] = keys;
  if (first === undefined) return new Map();
  const { workspaceId, operationId } = first;
  // Otherwise another server could store the same key between this read and the commit.
  await lockWorkspace(transaction, workspaceId);
  const rows = await transaction.all(selectStored, [
    workspaceId,
    operationId,
    keys.map(({ key }) => key),
    Math.min(...keys.map(({ now }) => now)),
  ]);
  return new Map(
    rows.map(({ key, requestDigest, ok }) => [key, { requestDigest, ok: parseOk(ok) }]),
  );
}

/** Stores results under keys that were not found. They replace expired results. */
export function storeResults(
  transaction: Transaction,
  done: readonly { readonly key: IdempotencyKey; readonly ok: unknown }[],
): void {
  const rows = done.map(({ key, ok }) => ({ ...key, ok: formatOk(ok) }));
  if (rows.length > 0) transaction.insert('idempotency_keys', rows, 'replace');
}

/** A result as JSON. A number always has an exponent, and a bigint has none. */
function formatOk(ok: unknown): string {
  return JSON.stringify(ok, (_key, member) => {
    if (typeof member === 'bigint') return JSON.rawJSON(String(member));
    return Number.isFinite(member) ? JSON.rawJSON(member.toExponential()) : member;
  });
}

function parseOk(text: string): unknown {
  return JSON.parse(text, (_key, member, { source }) =>
    source !== undefined && /^-?\d+$/.test(source) ? BigInt(source) : member,
  );
}

export const idempotencyCommands: CommandTable<keyof IdempotencyCommands> = {
  deleteExpiredIdempotencyKeys: {
    keepsAccess: true,
    async run(transaction, { now, keysMax }) {
      return { ok: await transaction.run(deleteExpired, [now, keysMax]) };
    },
  },
};
