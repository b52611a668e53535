import type { Page } from '../domain/page.ts';
import type { Int64 } from '../domain/values/int64.ts';

// Lists are read with one row more than their limit. If that row exists, another page follows.

/** Makes a page of rows. */
export function toPage<Item extends { readonly id: Int64 }>(
  rows: readonly Item[],
  limit: number,
): Page<Item> {
  return { items: pageItems(rows, limit), nextAfterId: lastBeforeNextPage(rows, limit)?.id };
}

export function pageItems<Item>(rows: readonly Item[], limit: number): readonly Item[] {
  return rows.length > limit ? rows.slice(0, limit) : rows;
}

/** The last item of the page; undefined if no page follows. */
export function lastBeforeNextPage<Item>(rows: readonly Item[], limit: number): Item | undefined {
  return rows.length > limit ? rows[limit - 1] : undefined;
}
