import { expect, test } from 'bun:test';
import { createListLoader, type ListSource, type Place } from '../console/src/api/list-loader.ts';
import { createListWindow } from '../console/src/api/list-window.ts';

const pageSize = 100;

/** A list of records as the service pages it. */
function listOf(ids: readonly number[], newest: 'start' | 'end') {
  const source: ListSource<{ readonly id: bigint }> = {
    newest,
    read: (_signal: AbortSignal, { from, isBackwards = false }: Place) => ({
      async *pages({ from: cursor }: { from?: string | undefined } = {}) {
        const isAscending = (newest === 'end') !== isBackwards;
        const ascending = ids.toSorted((left, right) => left - right);
        const inOrder = isAscending ? ascending : ascending.toReversed();
        const start = cursor === undefined ? from : BigInt(cursor);
        const following = inOrder.filter((id) => {
          if (start === undefined) return true;
          return isAscending ? id >= start : id <= start;
        });
        const items = following.slice(0, pageSize).map((id) => ({ id: BigInt(id) }));
        yield { items, next: following[pageSize]?.toString() };
      },
    }),
  };
  return source;
}

const running = new AbortController().signal;

function openList(ids: readonly number[], newest: 'start' | 'end' = 'start', count = ids.length) {
  const rows = createListWindow<{ readonly id: bigint }>();
  const loader = createListLoader(rows, listOf(ids, newest));
  rows.describe({ newest, expected: count });
  return { rows, loader };
}

/** The place of a record, from the start of the whole list. */
function placeOf({ rows }: ReturnType<typeof openList>, id: bigint): number {
  return rows.place.before + rows.items.findIndex((row) => row.id === id);
}

/** Reads up to both edges. Each page leaves the rows in sight where they are, if the scroll position follows `moved`. */
async function readAll(list: ReturnType<typeof openList>): Promise<void> {
  const { rows, loader } = list;
  for (const edge of ['start', 'end'] as const) {
    while (!rows.place.reached[edge]) {
      const inSight = rows.items[0]?.id ?? 0n;
      const before = { place: placeOf(list, inSight), moved: rows.place.moved };
      await loader.extend(edge, running);
      const shift = placeOf(list, inSight) - before.place;
      expect(shift).toBe(rows.place.moved - before.moved);
    }
  }
}

const dense = Array.from({ length: 3000 }, (_, index) => index + 1);
const catalogues = {
  dense,
  'with a large gap': dense.map((id) => (id > 1500 ? id + 2 ** 40 : id)),
  'without its first half': dense.map((id) => id + 1_000_000),
};

for (const [name, ids] of Object.entries(catalogues)) {
  for (const newest of ['start', 'end'] as const) {
    test(`a window at any place of a list ${name} leads to every record, new ones at the ${newest}`, async () => {
      const inOrder = newest === 'start' ? ids.toReversed() : ids;
      for (const part of [0.1, 0.4, 0.6, 0.9]) {
        const list = openList(ids, newest);
        const { rows, loader } = list;
        await loader.openEdge('start', running);
        const first = Math.round(part * ids.length);
        // The first drag into a gap shows an edge of it, and the next one knows it.
        for (let drag = 0; drag < 2; drag += 1) {
          await loader.openPlace(first, first + 30, running);
          if (!rows.place.reached.start) await loader.extend('start', running);
        }
        const place = inOrder.indexOf(Number(rows.items[pageSize]?.id)) - pageSize;
        expect(Math.abs(place - rows.place.before)).toBeLessThan(ids.length / 50);
        await readAll(list);
        expect(rows.items.map(({ id }) => Number(id))).toEqual(inOrder);
        expect(rows.place).toMatchObject({ before: 0, after: 0 });
      }
    });
  }
}

test('a count that is wrong hides no record, and the place is corrected at the edges', async () => {
  for (const count of [0, 100, 2999, 5000, 1_000_000]) {
    const list = openList(dense, 'start', count);
    await list.loader.openEdge('start', running);
    await list.loader.openPlace(count / 2, count / 2 + 30, running);
    // Browsers limit the height of an element.
    const { before, after } = list.rows.place;
    expect(before + after).toBeLessThanOrEqual(150_000);
    await readAll(list);
    expect(list.rows.items).toHaveLength(dense.length);
    expect(list.rows.place).toMatchObject({ before: 0, after: 0 });
  }
});

test('a list that others have shortened or emptied shows what is left, at each place', async () => {
  for (const left of [[], [7]]) {
    for (const first of [0, 1000, 2900]) {
      const ids = [...dense];
      const list = openList(ids);
      const { rows, loader } = list;
      await loader.openEdge('start', running);
      await loader.openPlace(1000, 1030, running);
      ids.splice(0, ids.length, ...left);
      const { moved } = rows.place;
      await loader.openPlace(first, first + 30, running);
      // The rows were opened in sight, and stay there at their corrected place.
      if (left.length > 0 && first === 1000) {
        expect(rows.place.before).toBe(first + rows.place.moved - moved);
      }
      await readAll(list);
      expect(rows.items.map(({ id }) => Number(id))).toEqual(left);
      expect(rows.place).toMatchObject({
        before: 0,
        after: 0,
        reached: { start: true, end: true },
      });
    }
  }
});

test('new records appear at their edge, or are counted if it is not in the window', async () => {
  for (const newest of ['start', 'end'] as const) {
    const { rows, loader } = openList(dense, newest);
    const oldest = newest === 'start' ? 'end' : 'start';
    await loader.openEdge(oldest, running);
    rows.added({ id: 4001n });
    rows.addedByOthers(4002n);
    rows.describe({ newest, expected: 3002 });
    expect([rows.unseenCount.peek(), rows.items.length]).toEqual([2, pageSize]);
    expect(rows.place.before + rows.place.after + pageSize).toBe(3000);
    await loader.openEdge(newest, running);
    // An event is applied again to rows that were read during it.
    for (const id of [4003n, 4003n]) rows.added({ id });
    rows.removed(rows.items[50]?.id ?? 0n);
    rows.removed(4002n);
    rows.describe({ newest, expected: 3001 });
    expect(rows.items.at(newest === 'start' ? 0 : -1)).toEqual({ id: 4003n });
    expect([rows.unseenCount.peek(), rows.items.length, rows.gone.size]).toEqual([1, 101, 1]);
    expect(rows.place.before + rows.place.after + 101).toBe(3001);
  }
});
