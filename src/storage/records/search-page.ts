import { endOf, isOver, shorten } from '../../context/context.ts';
import { turn } from '../../context/deadline.ts';
import type { Page, PageRequest } from '../../domain/page.ts';
import { createSearch, searchedMax } from '../../domain/search.ts';
import type { Awaitable } from '../../domain/values/awaitable.ts';
import type { Context } from '../../domain/values/context.ts';
import type { Int64 } from '../../domain/values/int64.ts';

/** The records that are read at once. */
const readAtOnce = 50;

/** No read of a search begins after this time, so that a slow database ends the page and not the connection of the client. */
const searchMillisecondsMax = 2000;

/** A search keeps the event loop for this long, then for one more read or comparison (docs/decisions/listing.md). */
const busyMillisecondsMax = 0.2;

/**
 * Reads a page of records whose text contains another one. It lets other requests run, because the comparison of 2000 notes of many
 * combining characters takes 200 ms.
 */
export async function searchPage<Item extends { readonly id: Int64 }>(
  context: Context,
  { limit, afterId }: PageRequest,
  read: (request: PageRequest) => Awaitable<readonly Item[]>,
  /** The text of a record that is searched. A record without one is not found. */
  textOf: (item: Item) => string | undefined,
  part: string,
): Promise<Page<Item>> {
  const isFound = createSearch(part);
  const items: Item[] = [];
  let nextAfterId = afterId;
  const search = shorten(context, searchMillisecondsMax);
  let since = performance.now();
  const isBusy = () => performance.now() - since > busyMillisecondsMax;
  async function letOthersRun(): Promise<void> {
    await turn();
    if (context.signal.aborted) throw endOf(context);
    since = performance.now();
  }
  for (let searched = 0; searched < searchedMax; searched += readAtOnce) {
    if (isBusy()) await letOthersRun();
    // `read` returns one record more than the limit if others follow.
    const reading = read({ limit: readAtOnce, afterId: nextAfterId });
    const rows = await reading;
    // Other requests ran during this time.
    if (reading instanceof Promise) since = performance.now();
    for (const item of rows.slice(0, readAtOnce)) {
      if (isBusy()) await letOthersRun();
      nextAfterId = item.id;
      const text = textOf(item);
      if (text === undefined || !isFound(text)) continue;
      items.push(item);
      if (items.length < limit) continue;
      return { items, nextAfterId: item === rows.at(-1) ? undefined : item.id };
    }
    if (rows.length <= readAtOnce) return { items, nextAfterId: undefined };
    if (isOver(search)) break;
  }
  return { items, nextAfterId };
}
