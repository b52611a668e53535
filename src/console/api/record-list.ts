import { signal } from '@preact/signals';
import type { List } from '../../../client/src/list.ts';
import { messageOf } from './api.ts';

interface Item {
  readonly id: bigint;
}

/** The records of a list as far as they were read. Signals announce each change. */
function createRows<Record extends Item>() {
  let items: Record[] = [];
  let indexes = new Map<bigint, number>();
  const gone = new Set<bigint>();
  const version = signal(0);
  /** Increases each time the list is read from the beginning. */
  const generation = signal(0);
  const unseen = new Set<bigint>();
  const unseenCount = signal(0);

  function forget(ids: readonly bigint[]): void {
    for (const id of ids) unseen.delete(id);
    unseenCount.value = unseen.size;
  }

  return {
    /** In the order of the service. `version` changes with them. */
    get items(): readonly Record[] {
      return items;
    },
    /** Ids of those that are deleted. Their rows stay where they are. */
    gone,
    version,
    generation,
    /** How many records others have added since. They are not shown yet, so that no row moves while it is used. */
    unseenCount,
    append(page: readonly Record[]): void {
      for (const record of page) {
        // One that was added during this time is at the top already.
        if (indexes.has(record.id)) continue;
        indexes.set(record.id, items.length);
        items.push(record);
      }
      forget(page.map(({ id }) => id));
      version.value += 1;
    },
    clear(): void {
      generation.value += 1;
      items = [];
      indexes = new Map();
      gone.clear();
      forget([...unseen]);
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
      if (!indexes.has(id)) unseen.add(id);
      unseenCount.value = unseen.size;
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
  let running: Promise<void> | undefined;
  /** The start of the next page, from the last one. Undefined for the first page. */
  let next: string | undefined;
  /** Changes that come while a page is read. They are applied again to the page, which may be older or newer than they are. */
  let recorded: (() => void)[] = [];

  function read(): Promise<void> {
    running ??= readPage();
    return running;
  }

  async function readPage(): Promise<void> {
    const own = reading;
    const from = next;
    recorded = [];
    state.value = 'loading';
    try {
      for await (const page of list(own.signal).pages({ from })) {
        if (own !== reading) return;
        if (from === undefined) rows.clear();
        rows.append(page.items);
        for (const change of recorded) change();
        next = page.next;
        state.value = next === undefined ? 'complete' : 'ready';
        return;
      }
    } catch (error) {
      if (own !== reading) return;
      message.value = messageOf(error);
      state.value = 'failed';
    } finally {
      if (own === reading) running = undefined;
    }
  }

  return {
    rows,
    state,
    message,
    /** Applies an event to the rows. */
    apply(change: () => void): void {
      if (running !== undefined) recorded.push(change);
      change();
    },
    loadMore: read,
    /** Reads to the end; false if that failed. */
    async loadAll(): Promise<boolean> {
      while (state.peek() !== 'complete') {
        await read();
        if (state.peek() === 'failed') return false;
      }
      return true;
    },
    /** Reads from the beginning, also the new records. */
    async reload(): Promise<void> {
      reading.abort();
      reading = new AbortController();
      next = undefined;
      running = undefined;
      await read();
    },
    stop: () => reading.abort(),
  };
}

export type RecordList<Record extends Item> = ReturnType<typeof createRecordList<Record>>;
