import type { Refused } from '../../domain/command.ts';
import type { Context } from '../../domain/values/context.ts';
import type {
  CommandInput,
  CommandName,
  CommandWriter,
  KeyedOutcome,
} from '../../storage/contract/command-writer.ts';
import type { IdempotencyKey } from '../../storage/contract/idempotency-key.ts';
import { type Failure, fail } from '../failure.ts';

/** How long a key is stored. */
export const idempotencyKeyMilliseconds = 24 * 3_600_000;

/**
 * The form of `Idempotency-Key`: bare, as most clients send it, or the string of a structured field (RFC 9651, section 3.3.3).
 * The document has the same pattern.
 */
export const idempotencyKeyPattern = /^(?:[!#-~][!-~]{0,254}|"((?:[!#-\[\]-~]|\\["\\]){1,255})")$/v;

/** The key of a request. It is the same with and without quotes. */
export function readIdempotencyKey(header: string): string | Failure {
  const match = idempotencyKeyPattern.exec(header);
  if (match === null) return unreadable;
  return match[1]?.replaceAll(/\\(.)/g, '$1') ?? header;
}

const unreadable = fail(
  'invalid_header',
  'Idempotency-Key must be 1 to 255 visible ASCII characters, the first not a double quote, or as many in double ' +
    'quotes, with a backslash before each double quote and backslash',
);

/** The failures of a write because of its key. */
export const idempotencyRefusals = {
  idempotency_in_progress: fail(
    'idempotency_in_progress',
    'A request with this Idempotency-Key is still running; retry to get its response',
  ),
  idempotency_key_reused: fail(
    'idempotency_key_reused',
    'This Idempotency-Key was used for another request: a repeat needs the same body, byte for byte, and a new request a new key',
  ),
} as const;

export type IdempotencyRefusal = keyof typeof idempotencyRefusals;

/** Runs a command at most once for each key. */
export type WriteOnce = <Name extends CommandName>(
  context: Context,
  name: Name,
  input: CommandInput<Name>,
  key: IdempotencyKey,
) => Promise<KeyedOutcome<Name> | Refused<IdempotencyRefusal>>;

/**
 * The key and the result are stored in the transaction of the command. So a client that received no response can always retry. A
 * retry is refused while the first request still runs in this process.
 */
export function createWriteOnce(writer: CommandWriter): WriteOnce {
  const running = new Set<string>();
  return (context, name, input, key) => {
    const id = `${key.workspaceId} ${key.operationId} ${key.key}`;
    if (running.has(id)) return Promise.resolve({ refused: 'idempotency_in_progress' });
    running.add(id);
    return writer.writeKeyed(context, name, input, key).finally(() => void running.delete(id));
  };
}
