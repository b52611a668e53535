import type { Transaction } from './session.ts';
import type { Dialects } from './statement.ts';

/** A step from one schema to the next. One that was released never changes. */
export interface Migration extends Dialects {
  /**
   * Rises with a step that changes what a write has to maintain: an older server that still runs can write no more from
   * then on.
   */
  readonly writerVersion: number;
  /** What is done after the statements, in the same transaction. `now` is milliseconds since 1970. */
  run?(transaction: Transaction, now: number): Promise<void>;
}
