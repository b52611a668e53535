import type { Dialects } from '../statement.ts';

/** A step from one schema to the next. One that was released never changes. */
export interface Migration extends Dialects {
  /**
   * Rises with a step that changes what a write must maintain. From then on, an older server that is still running rejects
   * writes.
   */
  readonly writerVersion: number;
}
