import type { Awaitable } from '../domain/awaitable.ts';
import type { Int64 } from '../domain/int64.ts';
import type { Page, PageRequest } from '../domain/page.ts';
import { comparableText } from '../domain/search.ts';

/** More records than this are not looked at for one page. */
export const searchedMax = 2000;

/** Read and compared without letting others in between: a quarter of a millisecond's work. */
const searchedAtOnce = 200;

/**
 * A page of records whose name contains a text. It looks at a bounded number of them, and so may hold fewer than its limit,
 * even none, and have another that follows. Between its looks it holds nothing and lets other requests run.
 */
export async function searchPage<Item extends { readonly id: Int64; readonly name: string }>(
  { limit, belowId }: PageRequest,
  read: (request: PageRequest) => Awaitable<readonly Item[]>,
  name: string,
): Promise<Page<Item>> {
  const wanted = comparableText(name);
  const items: Item[] = [];
  let nextBelowId = belowId;
  for (let searched = 0; searched < searchedMax; searched += searchedAtOnce) {
    // One more than was asked for tells that others follow.
    const rows = await read({ limit: searchedAtOnce, belowId: nextBelowId });
    const looked = rows.slice(0, searchedAtOnce);
    for (const item of looked) {
      nextBelowId = item.id;
      if (!comparableText(item.name).includes(wanted)) continue;
      items.push(item);
      if (items.length < limit) continue;
      return { items, nextBelowId: item === rows.at(-1) ? undefined : item.id };
    }
    if (rows.length <= searchedAtOnce) return { items, nextBelowId: undefined };
    await new Promise((resolve) => setImmediate(resolve));
  }
  return { items, nextBelowId };
}
