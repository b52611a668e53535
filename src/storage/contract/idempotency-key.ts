import type { Command } from '../../domain/command.ts';
import type { Int64 } from '../../domain/values/int64.ts';

/** A command runs at most once under a key, until the key expires. Times are milliseconds since 1970. */
export interface IdempotencyKey {
  readonly workspaceId: Int64;
  /** A key applies to one operation. */
  readonly operationId: string;
  readonly key: string;
  /** The digest of the request, in hexadecimal. The same key for another request is an error. */
  readonly requestDigest: string;
  readonly now: number;
  readonly expiresAt: number;
}

export interface IdempotencyCommands {
  /** Deletes expired keys and returns their number. `keysMax` keeps the transaction short. */
  deleteExpiredIdempotencyKeys: Command<{ readonly now: number; readonly keysMax: number }, number>;
}
