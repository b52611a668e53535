import type {
  CommandInput,
  CommandName,
  CommandOutput,
  Database,
  OnceKey,
} from '../domain/database.ts';
import { type Failure, fail } from '../domain/error.ts';

/** How long a key is remembered. */
export const idempotencyKeyMilliseconds = 24 * 3_600_000;

/** Runs a command, at most once where the request has an `Idempotency-Key`. */
export type Write = <Name extends CommandName>(
  name: Name,
  input: CommandInput<Name>,
) => Promise<CommandOutput<Name> | Failure>;

/**
 * What `Idempotency-Key` may be: bare as everybody sends it, or the string of a structured field (RFC 9651, section
 * 3.3.3). The document says the same, to the letter.
 */
export const idempotencyKeyPattern = /^(?:[!#-~][!-~]{0,254}|"((?:[!#-[\]-~]|\\["\\]){1,255})")$/u;

/** The key of a request, which is the same with quotes and without. */
export function readIdempotencyKey(header: string | null): string | undefined | Failure {
  if (header === null) return undefined;
  const match = idempotencyKeyPattern.exec(header);
  if (match === null) return unreadable;
  return match[1]?.replaceAll(/\\(.)/g, '$1') ?? header;
}

const unreadable = fail(
  'invalid_header',
  'Idempotency-Key must be 1 to 255 visible ASCII characters that begin with no double quote, or as many in double ' +
    'quotes, with a backslash before each double quote and backslash',
);

const inProgress = fail(
  'idempotency_in_progress',
  'A request with this Idempotency-Key is still running; ask again for its answer',
  { 'retry-after': '1' },
);

const reused = fail(
  'idempotency_key_reused',
  'This Idempotency-Key was used for another body; a new request needs a new key',
);

/** A request whose writes are to happen once. `headers` are those of its answer. */
export interface IdempotentRequest extends Omit<OnceKey, 'expiresAt'> {
  readonly headers: Record<string, string>;
}

export type IdempotentWrites = <Result>(
  request: IdempotentRequest | undefined,
  run: (write: Write) => Promise<Result | Failure>,
) => Promise<Result | Failure>;

/**
 * Gives handlers a `write` that happens once for each `Idempotency-Key`. The key and what was written share
 * a transaction, so a client that never saw its answer may ask again, whatever ended the first request.
 */
export function createIdempotentWrites(database: Database): IdempotentWrites {
  const running = new Set<string>();
  return async (request, run) => {
    if (request === undefined) return run(database.write);
    const { headers, ...key } = request;
    const once: OnceKey = { ...key, expiresAt: key.now + idempotencyKeyMilliseconds };
    const name = `${once.workspaceId} ${once.operationId} ${once.key}`;
    if (running.has(name)) return inProgress;
    running.add(name);
    try {
      return await run(async (command, input) => {
        const written = await database.writeOnce(command, input, once);
        if (written === 'key_reused') return reused;
        if (written.replayed) headers['idempotent-replayed'] = 'true';
        return written.output;
      });
    } finally {
      running.delete(name);
    }
  };
}
