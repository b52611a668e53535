import { expect, test } from 'bun:test';
import { createLater } from '../console/src/loading/create-later.ts';
import { mayReload } from '../console/src/loading/reload-limit.ts';

/** Parts whose code fails at the first reads. Rests take no time. */
function openLater(failures: number) {
  const rests: number[] = [];
  let reads = 0;
  const { later, loadAll } = createLater({
    rest: async (milliseconds) => void rests.push(milliseconds),
    recover: async (cause) => {
      throw new Error('recovered', { cause });
    },
  });
  const read = async () => {
    reads += 1;
    if (reads <= failures) throw new Error(`failure ${reads}`);
    return { shown: 'screen' };
  };
  return { part: later(read), loadAll, rests, countReads: () => reads };
}

test('a part of the page is loaded once, also if it is opened and loaded in the background', async () => {
  const { part, loadAll, rests, countReads } = openLater(0);
  expect(part.value).toBeUndefined();
  const first = await part.load();
  await loadAll();
  expect(await part.load()).toBe(first);
  expect([part.value, countReads(), rests]).toEqual([first, 1, []]);
});

test('a part that cannot be loaded is tried again after a second', async () => {
  const { part, rests } = openLater(1);
  expect(await part.load()).toEqual({ shown: 'screen' });
  expect(rests).toEqual([1000]);
});

test('the page recovers when the second try fails too, and the next use tries again', async () => {
  const { part } = openLater(2);
  const failed = part.load();
  await expect(failed).rejects.toThrow('recovered');
  await expect(failed.catch(({ cause }) => cause.message)).resolves.toBe('failure 2');
  expect(await part.load()).toEqual({ shown: 'screen' });
});

test('a part that the background cannot load is loaded when it is opened', async () => {
  const { part, loadAll, rests, countReads } = openLater(1);
  await loadAll();
  expect([part.value, countReads(), rests]).toEqual([undefined, 1, []]);
  expect(await part.load()).toEqual({ shown: 'screen' });
});

function openStorage() {
  const values = new Map<string, string>();
  return () => ({
    getItem: (name: string) => values.get(name) ?? null,
    setItem: (name: string, value: string) => void values.set(name, value),
  });
}

test('a page loads itself again at most once a minute', () => {
  const storage = openStorage();
  const start = Date.parse('2026-11-28T10:00:00Z');
  const seconds = [0, 1, 59, 60, 61, 119, 121];
  expect(seconds.map((second) => mayReload(start + second * 1000, storage))).toEqual([
    ...[true, false, false, true],
    ...[false, false, true],
  ]);
});

test('a clock that was set back does not keep a page from loading itself again', () => {
  const storage = openStorage();
  const now = Date.parse('2026-11-28T10:00:00Z');
  expect([mayReload(now, storage), mayReload(now - 3_600_000, storage)]).toEqual([true, true]);
});

test('a page without storage does not load itself again', () => {
  const blocked = () => {
    throw new Error('Access is denied');
  };
  expect(mayReload(0, blocked)).toBe(false);
});
