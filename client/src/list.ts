import { AnimalStoreError } from './error.ts';
import type { CallOptions, QueryValue, Transport } from './transport.ts';

/** A part of a list, and where the next one begins: to be stored as it is, and given to `pages` again. */
export interface Page<Item> {
  readonly items: readonly Item[];
  /** Undefined where this is the last. */
  readonly next: string | undefined;
}

/** Items of a list, read page by page as they are asked for. */
export interface List<Item> extends AsyncIterable<Item> {
  pages(options?: { readonly from?: string | undefined }): AsyncIterable<Page<Item>>;
  /** All of them, but no more than `max`. */
  toArray(options: { readonly max: number }): Promise<Item[]>;
}

export interface ListRequest {
  readonly path: string;
  readonly query: Readonly<Record<string, QueryValue | undefined>>;
  readonly options: CallOptions | undefined;
}

export function createList<Item>(transport: Transport, request: ListRequest): List<Item> {
  const { path, query, options } = request;

  async function* pages({ from }: { readonly from?: string | undefined } = {}) {
    // None of them, and not all: so much is known without asking.
    if (Array.isArray(query.id) && query.id.length === 0) {
      yield { items: [], next: undefined };
      return;
    }
    for (let search = from, isFirst = true; isFirst || search !== undefined; isFirst = false) {
      const { value, headers } = await transport.call({
        method: 'GET',
        path,
        query,
        search,
        options,
      });
      if (!Array.isArray(value)) {
        throw new AnimalStoreError('unexpected_response', 'The answer is no list');
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
    async toArray({ max }) {
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

/** The query of the next page. Where else its address leads is of no interest: the key stays with the service. */
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
