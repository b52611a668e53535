import type { Int64 } from '../values/int64.ts';
import type { Command } from './command.ts';

/** Under which a command is done at most once, until it expires. Times are milliseconds since 1970. */
export interface IdempotencyKey {
  readonly workspaceId: Int64;
  /** Keys of different operations do not meet. */
  readonly operationId: string;
  readonly key: string;
  /** Digest of what was asked, in hexadecimal: the same key for something else is a mistake. */
  readonly requestDigest: string;
  readonly now: number;
  readonly expiresAt: number;
}

export interface IdempotencyCommands {
  /** Forgets keys that have expired, at most so many, so that it holds nobody up; gives how many. */
  deleteExpiredIdempotencyKeys: Command<{ readonly now: number; readonly keysMax: number }, number>;
}
