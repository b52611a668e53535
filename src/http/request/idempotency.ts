import type { Refused } from '../../domain/database/command.ts';
import type {
  CommandInput,
  CommandName,
  CommandWriter,
  KeyedOutcome,
} from '../../domain/database/commands.ts';
import type { IdempotencyKey } from '../../domain/database/idempotency.ts';
import { type Failure, fail } from '../answer/answer.ts';

/** How long a key is remembered. */
export const idempotencyKeyMilliseconds = 24 * 3_600_000;

/**
 * What `Idempotency-Key` may be: bare as everybody sends it, or the string of a structured field (RFC 9651, section
 * 3.3.3). The document says the same, to the letter.
 */
export const idempotencyKeyPattern = /^(?:[!#-~][!-~]{0,254}|"((?:[!#-\[\]-~]|\\["\\]){1,255})")$/v;

/** The key of a request, which is the same with quotes and without. */
export function readIdempotencyKey(header: string | null): string | undefined | Failure {
  if (header === null) return undefined;
  const match = idempotencyKeyPattern.exec(header);
  if (match === null) return unreadable;
  return match[1]?.replaceAll(/\\(.)/g, '$1') ?? header;
}

const unreadable = fail(
  'invalid_header',
  'Idempotency-Key must be 1 to 255 visible ASCII characters, the first not a double quote, or as many in double ' +
    'quotes, with a backslash before each double quote and backslash',
);

/** Why a write was refused for its key, and not by its command. */
export const idempotencyRefusals = {
  idempotency_in_progress: fail(
    'idempotency_in_progress',
    'A request with this Idempotency-Key is still running; retry to get its response',
    { 'retry-after': '1' },
  ),
  idempotency_key_reused: fail(
    'idempotency_key_reused',
    'This Idempotency-Key was used for another request; a new request needs a new key',
  ),
} as const;

export type IdempotencyRefusal = keyof typeof idempotencyRefusals;

export function isIdempotencyRefusal(refusal: string): refusal is IdempotencyRefusal {
  return Object.hasOwn(idempotencyRefusals, refusal);
}

/** Runs a command at most once for each key. */
export type WriteOnce = <Name extends CommandName>(
  name: Name,
  input: CommandInput<Name>,
  key: IdempotencyKey,
) => Promise<KeyedOutcome<Name> | Refused<IdempotencyRefusal>>;

/**
 * The key and the result are stored in the transaction of the command. So a client without a response can retry, however the
 * first request ended. A retry is refused while the first request still runs in this process.
 */
export function createWriteOnce(writer: CommandWriter): WriteOnce {
  const running = new Set<string>();
  return (name, input, key) => {
    const id = `${key.workspaceId} ${key.operationId} ${key.key}`;
    if (running.has(id)) return Promise.resolve({ refused: 'idempotency_in_progress' });
    running.add(id);
    return writer.writeKeyed(name, input, key).finally(() => void running.delete(id));
  };
}
