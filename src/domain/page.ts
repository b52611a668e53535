import type { Int64 } from './values/int64.ts';

/** A part of a list, newest first: the records below an id, or the newest. */
export interface PageRequest {
  readonly limit: number;
  readonly belowId?: Int64 | undefined;
}

/**
 * One page of a list. Ids are unique and never change, and a page continues below the last id. So a client that follows the pages
 * receives every record that existed when it started exactly once, even if others are added during this time.
 */
export interface Page<Item> {
  readonly items: readonly Item[];
  /** The next page starts below this id. Undefined on the last page. */
  readonly nextBelowId: Int64 | undefined;
}
