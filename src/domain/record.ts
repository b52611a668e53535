import type { Precondition } from './database/precondition.ts';
import type { WithOrigin } from './event.ts';
import type { Int64 } from './values/int64.ts';

/** A record that a command changes, if it is as the client demands. */
export interface ChangedRecord extends WithOrigin {
  readonly workspaceId: Int64;
  readonly id: Int64;
  readonly precondition: Precondition;
}
