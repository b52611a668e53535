import type { Precondition } from './precondition.ts';
import type { Int64 } from './values/int64.ts';

/**
 * The cause of a change: an API key (`key:0` is the operator's own key), `owner` for a console session from a link, or `system` for
 * the service itself.
 */
export type Actor = `key:${bigint}` | 'owner' | 'system';

/** The request that makes a change. Its events contain it. */
export interface ChangeOrigin {
  readonly requestId: string;
  readonly actor: Actor;
  /** The session of the console that makes it, if one does. Events do not contain it. */
  readonly sessionId?: string | undefined;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** Input of a command that changes records. Without an origin, the command appends no events. */
export interface RecordInput {
  readonly workspaceId: Int64;
  readonly origin?: ChangeOrigin | undefined;
}

/** Input of a command that changes one record, if it meets the precondition. */
export interface ChangeInput extends RecordInput {
  readonly id: Int64;
  readonly precondition: Precondition;
}
