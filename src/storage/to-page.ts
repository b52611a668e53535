import type { Page } from '../domain/page.ts';
import type { Int64 } from '../domain/values/int64.ts';

// Lists are read with one row more than their limit. If that row exists, another page follows.

/** The items of a page, and the last of them if another page follows. */
export function cutPage<Item>(
  rows: readonly Item[],
  limit: number,
): { readonly items: readonly Item[]; readonly next: Item | undefined } {
  if (rows.length <= limit) return { items: rows, next: undefined };
  return { items: rows.slice(0, limit), next: rows[limit - 1] };
}

/** Makes a page of rows. */
export function toPage<Item extends { readonly id: Int64 }>(
  rows: readonly Item[],
  limit: number,
): Page<Item> {
  const { items, next } = cutPage(rows, limit);
  return { items, nextAfterId: next?.id };
}
