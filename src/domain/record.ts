import type { Precondition } from './database/precondition.ts';
import type { WithOrigin } from './event.ts';
import type { Int64 } from './values/int64.ts';

/** A record that a command changes, if it meets the precondition. */
export interface ChangedRecord extends WithOrigin {
  readonly workspaceId: Int64;
  readonly id: Int64;
  readonly precondition: Precondition;
}
