import { signal } from '@preact/signals';
import type { List } from '../../../client/src/list.ts';
import { createReplay } from './replay.ts';
import { messageOf } from './service.ts';

/** What a row of a list has at least. */
export interface Identified {
  readonly id: bigint;
}

/** The records of a list as far as they were read. Signals announce each change. */
function createRows<Row extends Identified>() {
  let items: Row[] = [];
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
    get items(): readonly Row[] {
      return items;
    },
    /** Ids of those that are deleted. Their rows stay where they are. */
    gone,
    version,
    generation,
    /** How many records others have added since. They are not shown yet, so that no row moves while it is used. */
    unseenCount,
    append(page: readonly Row[]): void {
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
    added(record: Row): void {
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
    changed(record: Row): void {
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
export function createRecordList<Row extends Identified>(list: (signal: AbortSignal) => List<Row>) {
  const rows = createRows<Row>();
  const state = signal<'loading' | 'ready' | 'complete' | 'failed'>('loading');
  const message = signal('');
  let reading = new AbortController();
  let running: Promise<void> | undefined;
  /** The start of the next page, from the last one. Undefined for the first page. */
  let next: string | undefined;
  const replay = createReplay();

  function read(): Promise<void> {
    running ??= readPage();
    return running;
  }

  async function readPage(): Promise<void> {
    const current = reading;
    const from = next;
    const recording = replay.record();
    state.value = 'loading';
    try {
      for await (const page of list(current.signal).pages({ from })) {
        if (current !== reading) return;
        if (from === undefined) rows.clear();
        rows.append(page.items);
        recording.applyAgain();
        next = page.next;
        state.value = next === undefined ? 'complete' : 'ready';
        return;
      }
    } catch (error) {
      if (current !== reading) return;
      message.value = messageOf(error);
      state.value = 'failed';
    } finally {
      recording.stop();
      if (current === reading) running = undefined;
    }
  }

  return {
    rows,
    state,
    message,
    /** Applies an event to the rows. */
    apply: replay.apply,
    loadMore: read,
    /** Reads to the end; false if that failed. */
    async loadAll(): Promise<boolean> {
      while (state.peek() !== 'complete') {
        await read();
        if (state.peek() === 'failed') return false;
      }
      return true;
    },
    /** All records, in the order of the list, read again. */
    readAll: (signal: AbortSignal): Promise<Row[]> => list(signal).toArray({ max: Infinity }),
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

export type RecordList<Row extends Identified> = ReturnType<typeof createRecordList<Row>>;
