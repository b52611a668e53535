import type { Int64 } from './values/int64.ts';

/** The order of a list: the highest id first, or the lowest. */
export type SortOrder = '-id' | 'id';

/** A part of a list. */
export interface PageRequest {
  readonly limit: number;
  /** The page has the records after this one, in the order of the list. Without it, the first ones. */
  readonly afterId?: Int64 | undefined;
}

/**
 * One page of a list. Ids are unique and never change, and a page continues after the last id. So a client that follows the pages
 * receives every record that existed when it started exactly once, even if others are added during this time.
 */
export interface Page<Item> {
  readonly items: readonly Item[];
  /** The id that the next page starts after. Undefined on the last page. */
  readonly nextAfterId: Int64 | undefined;
}

/** One page of another list. The next page begins after the item `next`, which is undefined on the last page. */
export interface PageAfterItem<Item> {
  readonly items: readonly Item[];
  readonly next: Item | undefined;
}
