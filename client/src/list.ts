import { AnimalStoreError } from './error.ts';
import type { Call, Transport } from './transport.ts';

/** A part of a list. */
export interface Page<Item> {
  readonly items: readonly Item[];
  /** The start of the next page: pass it to `pages`. Undefined for the last page. */
  readonly next: string | undefined;
}

/** Items of a list, read page by page as they are needed. */
export interface List<Item> extends AsyncIterable<Item> {
  pages(options?: { readonly from?: string | undefined }): AsyncIterable<Page<Item>>;
  /** The first items, at most `max`. */
  toArray(options: { readonly max: number }): Promise<Item[]>;
}

/** A list whose pages are the answers to a call. */
export function createList<Item>(transport: Transport, call: Call): List<Item> {
  async function* pages({ from }: { readonly from?: string | undefined } = {}) {
    // An empty list of ids matches no record. Without the parameter, the service would return all records.
    const values = Object.values(call.query ?? {});
    if (values.some((value) => Array.isArray(value) && value.length === 0)) {
      yield { items: [], next: undefined };
      return;
    }
    for (let search = from, isFirst = true; isFirst || search !== undefined; isFirst = false) {
      const { value, headers } = await transport.call({ ...call, search });
      if (!Array.isArray(value)) {
        throw new AnimalStoreError('unexpected_response', 'The response is not a list');
      }
      search = nextSearch(headers.get('link'));
      yield { items: value as Item[], next: search };
    }
  }

  async function* items() {
    for await (const page of pages()) yield* page.items;
  }

  return {
    pages,
    [Symbol.asyncIterator]: items,
    async toArray(options) {
      // Not all callers have types. Without a number, all records would be read.
      const max = Number(options?.max);
      if (Number.isNaN(max)) throw new TypeError('toArray needs { max: NUMBER }');
      const found: Item[] = [];
      if (max <= 0) return found;
      for await (const item of items()) {
        found.push(item);
        if (found.length >= max) break;
      }
      return found;
    },
  };
}

/** The query of the next page. The rest of its address is ignored, so that the key is sent to the base URL only. */
function nextSearch(link: string | null): string | undefined {
  for (const part of (link ?? '').split(',')) {
    const [target = '', ...parameters] = part.split(';').map((text) => text.trim());
    if (!parameters.includes('rel="next"')) continue;
    const query = target.indexOf('?');
    if (target.startsWith('<') && target.endsWith('>') && query > 0)
      return target.slice(query + 1, -1);
  }
  return undefined;
}
