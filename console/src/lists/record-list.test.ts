import { afterEach, describe, expect, test } from 'bun:test';
import { effect } from '@preact/signals';
import type { Pet } from '../../../client/src/contract.ts';
import { loadInPage } from '../../../test/support/console-shop.ts';
import type { OpenList } from './list-state.ts';
import type { RecordList } from './record-list.ts';

const { createRecordList, announce, announceOwnChange, changedPet, followChanges } =
  await loadInPage(async () => ({
    ...(await import('./record-list.ts')),
    ...(await import('../api/announce.ts')),
    ...(await import('../api/changes.ts')),
  }));

const petOf = (id: number, name = `Pet ${id}`): Pet => ({
  id: BigInt(id),
  name,
  categoryId: 1n,
  status: 'available',
});

/** Animals, and a list of them as the service pages it. */
function createCatalogue(ids: readonly number[], newest: 'start' | 'end' = 'start') {
  const pets = new Map(ids.map((id) => [BigInt(id), petOf(id)]));
  let failsNext = false;
  const inOrder = () => {
    const ascending = [...pets.values()].sort((one, other) => Number(one.id - other.id));
    return newest === 'end' ? ascending : ascending.reverse();
  };
  const source: OpenList<Pet> = {
    kind: 'pet',
    recordOf: changedPet,
    newest,
    adds: ({ event }) => event.type === 'pet.created',
    read: (_signal, { from, isBackwards = false }) => ({
      async *pages({ from: cursor } = {}) {
        if (failsNext) throw new Error('The server is away.');
        const rows = isBackwards ? inOrder().reverse() : inOrder();
        const isDescending = (newest === 'start') !== isBackwards;
        const start = cursor === undefined ? from : BigInt(cursor);
        const found = rows.filter(({ id }) => {
          if (start === undefined) return true;
          return isDescending ? id <= start : id >= start;
        });
        yield { items: found.slice(0, 100), next: found[100]?.id.toString() };
      },
    }),
    readByIds: async (wanted) => wanted.flatMap((id) => pets.get(id) ?? []),
    idAt: async (position) => inOrder()[position]?.id,
  };
  return {
    source,
    pets,
    inOrder,
    fail(fails: boolean): void {
      failsNext = fails;
    },
    /** What another user does. */
    change(type: 'pet.created' | 'pet.updated' | 'pet.deleted', pet: Pet): void {
      if (type === 'pet.deleted') pets.delete(pet.id);
      else pets.set(pet.id, pet);
      const event = { type, data: pet, sequence: 1n, id: '1', timestamp: '', actor: 'owner' };
      announce({ event } as Parameters<typeof announce>[0]);
    },
  };
}

/** A list whose answers are late: they have the records of the time of the question. */
function held(source: OpenList<Pet>, released: Promise<void>): OpenList<Pet> {
  return {
    ...source,
    read: (...place) => ({
      async *pages(from) {
        for await (const page of source.read(...place).pages(from)) {
          await released;
          yield page;
        }
      },
    }),
  };
}

/** Resolves when a condition of signals holds. */
function until(holds: () => boolean): Promise<void> {
  return new Promise((resolve) => {
    const stop = effect(() => {
      if (!holds()) return;
      resolve();
      queueMicrotask(() => stop());
    });
  });
}

const opened: (() => void)[] = [];
afterEach(() => {
  for (const stop of opened.splice(0)) stop();
});

async function openList(catalogue: ReturnType<typeof createCatalogue>): Promise<RecordList<Pet>> {
  opened.push(followChanges());
  const list = createRecordList(catalogue.source);
  opened.push(list.stop);
  list.expect(catalogue.pets.size);
  list.show(catalogue.source);
  await isRead(list);
  return list;
}

const isRead = (list: RecordList<Pet>) =>
  until(() => list.state.value === 'ready' || list.state.value === 'complete');

const placeOf = ({ rows }: RecordList<Pet>, id: bigint) =>
  rows.place.before + rows.items.findIndex((row) => row.id === id);

/** Shows the rows from a place on, as a drag of the scroll bar does. */
async function dragTo(list: RecordList<Pet>, place: number): Promise<void> {
  list.see(place, place + 20);
  const has = () => {
    void list.rows.version.value;
    const { before } = list.rows.place;
    return before <= place && place + 20 < before + list.rows.items.length;
  };
  await until(has);
}

const dense = Array.from({ length: 3000 }, (_none, index) => index + 1);
const catalogues = {
  dense,
  'with ids far apart': dense.map((id) => id * 1_000_003),
};

describe.each(Object.entries(catalogues))('a list %s', (_name, ids) => {
  test.each(['start', 'end'] as const)(
    'shows the rows of any place, and those around them stay in sight while more are read: newest at the %s',
    async (newest) => {
      const catalogue = createCatalogue(ids, newest);
      const list = await openList(catalogue);
      for (const place of [1500, 420, 2600]) {
        await dragTo(list, place);
        expect(list.rows.items[place - list.rows.place.before]).toEqual(
          catalogue.inOrder()[place] as Pet,
        );
      }
      const { moved } = list.rows.place;
      const places = Array.from({ length: 60 }, (_none, index) => index * 50 - (index % 2));
      for (const place of [...places.toReversed(), ...places].filter((one) => one >= 0)) {
        await dragTo(list, place);
        const first = place - list.rows.place.before;
        expect(list.rows.items.slice(first, first + 20)).toEqual(
          catalogue.inOrder().slice(place, place + 20),
        );
      }
      expect(list.rows.place.moved).toBe(moved);
    },
  );
});

test('a page that was just read is not read again, also before the stream is open', async () => {
  const catalogue = createCatalogue(dense);
  let count = 0;
  const readByIds: typeof catalogue.source.readByIds = (ids, signal) => {
    count += 1;
    return catalogue.source.readByIds(ids, signal);
  };
  const list = await openList({ ...catalogue, source: { ...catalogue.source, readByIds } });
  await dragTo(list, 1500);
  expect(count).toBe(0);
});

test('End and Home read the edges of a long list at once', async () => {
  const list = await openList(createCatalogue(dense));
  expect(await list.goTo('end')).toBe(true);
  expect(list.rows.items.at(-1)?.id).toBe(1n);
  expect(list.rows.place).toMatchObject({ before: 2900, after: 0 });
  expect(await list.goTo('start')).toBe(true);
  expect(list.rows.items[0]?.id).toBe(3000n);
});

test('animals that others add are counted and move no row, until they are shown', async () => {
  const catalogue = createCatalogue(dense);
  const list = await openList(catalogue);
  const before = list.rows.items.map(({ id }) => id);
  catalogue.change('pet.created', petOf(3001));
  catalogue.change('pet.created', petOf(3002));
  catalogue.change('pet.deleted', petOf(3002));
  expect(list.rows.unseenCount.value).toBe(1);
  expect(list.rows.items.map(({ id }) => id)).toEqual(before);
  list.showNew();
  await until(() => list.rows.unseenCount.value === 0);
  expect(list.rows.items[0]?.id).toBe(3001n);
});

test('an import of many animals by another user takes a time in proportion to them', async () => {
  const catalogue = createCatalogue(dense);
  const list = await openList(catalogue);
  for (let id = 3001; id <= 43_000; id += 1) catalogue.change('pet.created', petOf(id));
  expect(list.rows.unseenCount.value).toBe(40_000);
}, 5000);

test('a list of any length is drawn within the height that browsers have', async () => {
  const catalogue = createCatalogue(dense);
  const list = await openList(catalogue);
  list.expect(10_000_000);
  const { before, after } = list.rows.place;
  const fontScaleMax = 1.5;
  const rowHeightMax = 118 * fontScaleMax;
  // Chromium on a phone has three and a half of its pixels for one of the page, or the page is enlarged.
  const heightMax = 33_554_428 / 3.5;
  expect((before + list.rows.items.length + after) * rowHeightMax).toBeLessThan(heightMax);
});

test('animals that others add while a list is read are counted, and those of the list before are not', async () => {
  const list = await openList(createCatalogue(dense));
  const next = createCatalogue([1, 2, 3], 'end');
  next.change('pet.created', petOf(3001));
  next.change('pet.created', petOf(3002));
  next.pets.delete(3001n);
  next.pets.delete(3002n);
  expect(list.rows.unseenCount.value).toBe(2);
  const answer = Promise.withResolvers<void>();
  list.show(held(next.source, answer.promise));
  await until(() => list.state.value === 'loading');
  await Promise.resolve();
  next.change('pet.created', petOf(4));
  answer.resolve();
  await until(() => list.state.value === 'complete');
  expect(list.rows.items.map(({ id }) => id)).toEqual([1n, 2n, 3n]);
  expect(list.rows.unseenCount.value).toBe(1);
});

test('after missed events, the list that was being read is shown, and not the one before', async () => {
  const list = await openList(createCatalogue(dense));
  const next = createCatalogue([1, 2, 3]);
  list.show(next.source);
  announce('reset');
  await isRead(list);
  expect(list.rows.items.map(({ id }) => id)).toEqual([3n, 2n, 1n]);
});

test('animals that others change and delete keep their rows, with their new values', async () => {
  const catalogue = createCatalogue(dense);
  const list = await openList(catalogue);
  list.see(0, 20);
  catalogue.change('pet.updated', petOf(2999, 'Renamed'));
  catalogue.change('pet.deleted', petOf(2998));
  await until(() => list.rows.version.value > 0 && list.rows.gone.has(2998n));
  expect(list.rows.items.slice(0, 3).map(({ name }) => name)).toEqual([
    'Pet 3000',
    'Renamed',
    'Pet 2998',
  ]);
});

test('an animal that this page adds has its row at once where it is in sight, and is counted elsewhere', async () => {
  const catalogue = createCatalogue(dense);
  const list = await openList(catalogue);
  announceOwnChange({ type: 'pet.created', data: petOf(3001) });
  expect(list.rows.items[0]?.id).toBe(3001n);
  expect(list.rows.unseenCount.value).toBe(0);
  catalogue.pets.set(3001n, petOf(3001));
  await dragTo(list, 1500);
  announceOwnChange({ type: 'pet.created', data: petOf(3002) });
  expect(list.rows.unseenCount.value).toBe(1);
});

test('a place that cannot be read is read again on demand, and forgotten when its rows leave the sight', async () => {
  const catalogue = createCatalogue(dense);
  const list = await openList(catalogue);
  catalogue.fail(true);
  list.see(1500, 1520);
  await until(() => list.state.value === 'failed');
  expect(list.message.value).toBe('The server is away.');
  catalogue.fail(false);
  list.see(0, 20);
  await isRead(list);
  catalogue.fail(true);
  list.see(1500, 1520);
  await until(() => list.state.value === 'failed');
  catalogue.fail(false);
  list.retry();
  await dragTo(list, 1500);
});

test('after missed events, the rows in sight are read again and stay in sight', async () => {
  const catalogue = createCatalogue(dense);
  const list = await openList(catalogue);
  await dragTo(list, 1500);
  const seen = list.rows.items[1500 - list.rows.place.before]?.id ?? 0n;
  catalogue.pets.set(seen, petOf(Number(seen), 'Renamed'));
  announce('reset');
  await until(() => list.rows.version.value > 0 && list.state.value === 'ready');
  expect(placeOf(list, seen)).toBe(1500);
  expect(list.rows.items.find(({ id }) => id === seen)?.name).toBe('Renamed');
});
