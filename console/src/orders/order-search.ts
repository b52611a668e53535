import type { Order, OrderStatus } from '../../../client/src/contract.ts';
import type { List, Page } from '../../../client/src/list.ts';
import type { OrderQuery } from '../../../client/src/store.ts';
import { nameLengthMax } from '../../../src/domain/name.ts';
import { splitIds } from '../api/ids.ts';
import { parseInteger } from '../api/integer.ts';
import { currentApi } from '../api/session.ts';
import type { PagedList } from '../lists/list-pages.ts';

/** Animals whose names are compared. Short texts are in the names of many. */
export const searchedAnimalsMax = 500;

const pageSize = 100;

interface OrderSearch {
  readonly text: string;
  readonly status: OrderStatus | undefined;
  readonly mayReadAnimals: boolean;
  /** More animals have the text in their names than a search compares. */
  readonly onManyAnimals: () => void;
}

/** Orders that are found in one way, newest first, as far as they were read. */
interface Source {
  readonly list: List<Order>;
  readonly read: readonly Order[];
  readonly next: string | undefined;
  readonly isComplete: boolean;
}

/** Where a page of a search starts. */
interface Place {
  readonly sources: readonly Source[];
  /** The orders of the first page that were found by their numbers. */
  readonly exact: ReadonlySet<bigint>;
}

/**
 * Finds orders by their notes, by the names of their animals, and by the number of an order or an animal. Those of the number are
 * first, then the others, newest first.
 */
export function createOrderSearch(search: OrderSearch) {
  /** By the texts that continue the list after them. */
  const places = new Map<string, Place>();

  async function readPage(from: string | undefined, signal: AbortSignal): Promise<Page<Order>> {
    const known = from === undefined ? undefined : places.get(from);
    const exact = known === undefined ? await findByNumber(search, signal) : [];
    const place = known ?? {
      sources: await findSources(search, signal),
      exact: new Set(exact.map(({ id }) => id)),
    };
    const { items, sources } = await takeNewest(place, pageSize - exact.length);
    const all = [...exact, ...items];
    if (sources.every((source) => source.isComplete && source.read.length === 0)) {
      return { items: all, next: undefined };
    }
    const next = String(places.size + 1);
    places.set(next, { ...place, sources });
    return { items: all, next };
  }

  return (signal: AbortSignal): PagedList<Order> => ({
    async *pages({ from } = {}) {
      let next = from;
      do {
        const page = await readPage(next, signal);
        next = page.next;
        yield page;
      } while (next !== undefined);
    },
  });
}

async function findByNumber({ text, status }: OrderSearch, signal: AbortSignal) {
  const number = parseInteger(text);
  if (number === undefined) return [];
  const { orders } = currentApi();
  const lists = [{ ids: [number] }, { petId: number }].map((query) =>
    orders.list({ status, ...query, limit: pageSize }, { signal }).toArray({ max: pageSize / 2 }),
  );
  const found = (await Promise.all(lists)).flat();
  return [...new Map(found.map((order) => [order.id, order])).values()];
}

async function findSources(search: OrderSearch, signal: AbortSignal): Promise<readonly Source[]> {
  const { text, status, mayReadAnimals, onManyAnimals } = search;
  const { orders, pets } = currentApi();
  const open = (query: OrderQuery): Source => ({
    list: orders.list({ status, ...query, limit: pageSize }, { signal }),
    read: [],
    next: undefined,
    isComplete: false,
  });
  const mayBeName = mayReadAnimals && [...text].length <= nameLengthMax;
  const named = mayBeName ? pets.list({ name: text, limit: pageSize }, { signal }) : undefined;
  const found = (await named?.toArray({ max: searchedAnimalsMax + 1 })) ?? [];
  if (found.length > searchedAnimalsMax) onManyAnimals();
  const ids = found.slice(0, searchedAnimalsMax).map(({ id }) => id);
  const sources = [open({ note: text })];
  const number = parseInteger(text);
  if (number !== undefined) sources.push(open({ petId: number }));
  for (const petId of splitIds(ids)) sources.push(open({ petId }));
  return sources;
}

/** The newest orders of all sources, each once, and the sources after them. */
async function takeNewest({ sources: before, exact }: Place, count: number) {
  const items: Order[] = [];
  let sources = before;
  while (items.length < count) {
    sources = await Promise.all(sources.map(fill));
    const heads = sources.flatMap(({ read }) => read.slice(0, 1));
    const [newest] = heads.sort((left, right) => (left.id < right.id ? 1 : -1));
    if (newest === undefined) break;
    sources = sources.map((source) =>
      source.read[0]?.id === newest.id ? { ...source, read: source.read.slice(1) } : source,
    );
    if (!exact.has(newest.id)) items.push(newest);
  }
  return { items, sources };
}

/** Reads until a source has an order, or is at its end. A page of a search may be empty. */
async function fill(source: Source): Promise<Source> {
  let { read, next, isComplete } = source;
  while (read.length === 0 && !isComplete) {
    const pages = source.list.pages({ from: next })[Symbol.asyncIterator]();
    const { value: page } = await pages.next();
    read = page.items;
    next = page.next;
    isComplete = next === undefined;
  }
  return { ...source, read, next, isComplete };
}
