import { signal } from '@preact/signals';
import type { List, Page } from '../../client/src/list.ts';
import { messageOf } from './store.ts';

interface Item {
  readonly id: bigint;
}

/** The records of a list as far as they were read, and what happens to them. Signals announce each change. */
function createRows<Record extends Item>() {
  let items: Record[] = [];
  let indexes = new Map<bigint, number>();
  let gone = new Set<bigint>();
  const version = signal(0);
  const unseen = signal<ReadonlySet<bigint>>(new Set());

  function forget(ids: readonly bigint[]): void {
    const left = unseen.peek();
    if (ids.some((id) => left.has(id))) unseen.value = left.difference(new Set(ids));
  }

  return {
    /** In the order of the service. Looked at again when `version` changes. */
    get items(): readonly Record[] {
      return items;
    },
    /** Ids of those that are deleted. Their rows stay where they are. */
    get gone(): ReadonlySet<bigint> {
      return gone;
    },
    version,
    /** Ids of records that others added since; they are not shown yet, so that no row moves under a hand. */
    unseen,
    append(page: readonly Record[]): void {
      for (const record of page) {
        // One that was added meanwhile stands at the top already.
        if (indexes.has(record.id)) continue;
        indexes.set(record.id, items.length);
        items.push(record);
      }
      forget(page.map(({ id }) => id));
      version.value += 1;
    },
    clear(): void {
      items = [];
      indexes = new Map();
      gone = new Set();
      unseen.value = new Set();
    },
    /** A record that this page added: shown at once, at the top. */
    added(record: Record): void {
      if (!indexes.has(record.id)) {
        items = [record, ...items];
        indexes = new Map(items.map(({ id }, index) => [id, index]));
      }
      forget([record.id]);
      version.value += 1;
    },
    addedByOthers(id: bigint): void {
      if (!indexes.has(id)) unseen.value = new Set(unseen.peek()).add(id);
    },
    changed(record: Record): void {
      const index = indexes.get(record.id);
      if (index === undefined) return;
      items[index] = record;
      version.value += 1;
    },
    removed(id: bigint): void {
      forget([id]);
      if (!indexes.has(id)) return;
      gone.add(id);
      version.value += 1;
    },
  };
}

/** A list of the service, read page by page as it is scrolled through, and kept up to date by events. */
export function createRecordList<Record extends Item>(list: (signal: AbortSignal) => List<Record>) {
  const rows = createRows<Record>();
  const state = signal<'loading' | 'ready' | 'complete' | 'failed'>('loading');
  const message = signal('');
  let reading = new AbortController();
  let isBusy = false;
  /** Where the next page begins, as the last one said. */
  let next: string | undefined;

  /** Reads one page. `isFirst` where it takes the place of all that was read. */
  async function read(isFirst: boolean): Promise<void> {
    isBusy = true;
    const own = reading;
    state.value = 'loading';
    try {
      const page = await firstPage(list(own.signal), isFirst ? undefined : next);
      if (own !== reading) return;
      if (isFirst) rows.clear();
      rows.append(page?.items ?? []);
      next = page?.next;
      state.value = next === undefined ? 'complete' : 'ready';
    } catch (error) {
      if (own !== reading) return;
      message.value = messageOf(error);
      state.value = 'failed';
    } finally {
      if (own === reading) isBusy = false;
    }
  }

  return {
    rows,
    state,
    message,
    async loadMore(): Promise<void> {
      if (!isBusy) await read(next === undefined);
    },
    /** From the beginning, with what has come since. */
    async reload(): Promise<void> {
      reading.abort();
      reading = new AbortController();
      await read(true);
    },
    stop: () => reading.abort(),
  };
}

export type RecordList<Record extends Item> = ReturnType<typeof createRecordList<Record>>;

async function firstPage<Item>(
  list: List<Item>,
  from: string | undefined,
): Promise<Page<Item> | undefined> {
  for await (const page of list.pages({ from })) return page;
  return undefined;
}
