import { afterEach, beforeEach, expect, jest, test } from 'bun:test';
import type { Pet } from '../../../client/src/contract.ts';
import { loadInPage } from '../../../test/support/console-shop.ts';
import type { Query } from './cache.ts';

const {
  announce,
  announceOwnChange,
  cached,
  changedPet,
  fetchOnce,
  followChanges,
  followQueries,
  tagOf,
} = await loadInPage(async () => ({
  ...(await import('./announce.ts')),
  ...(await import('./cache.ts')),
  ...(await import('./changes.ts')),
}));

const pet = (id: number, name: string): Pet => ({
  id: BigInt(id),
  name,
  categoryId: 1n,
  status: 'available',
});

/** Reads of one animal, of which each ends when it is answered. */
function createReads(id: number) {
  const asked: PromiseWithResolvers<Pet>[] = [];
  const query: Query<Pet> = {
    key: ['pet', String(id)],
    read() {
      const answer = Promise.withResolvers<Pet>();
      asked.push(answer);
      return answer.promise;
    },
    tags: () => [tagOf('pet', id)],
    patch: (before, change) => {
      const changed = changedPet(change);
      return changed?.id === BigInt(id) ? changed : before;
    },
  };
  return { asked, query, shown: () => cached<Pet>(query.key)?.name };
}

function announceChange(data: Pet): void {
  const event = { type: 'pet.updated', data, sequence: 1n, id: '1', timestamp: '', actor: 'owner' };
  announce({ event } as Parameters<typeof announce>[0]);
}

/** Lets promises and timers run for this time. */
async function pass(milliseconds: number): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
  jest.advanceTimersByTime(milliseconds);
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
}

const ends: (() => void)[] = [];
beforeEach(() => {
  jest.useFakeTimers();
  ends.push(followChanges());
});
afterEach(() => {
  for (const end of ends.splice(0)) end();
  jest.useRealTimers();
});

/** Keeps a query in use. */
function use(query: Query<unknown>): void {
  const followed = followQueries(() => {});
  followed.set([query]);
  ends.unshift(followed.stop);
}

test('what is in use is read again once a second, however many changes come', async () => {
  const { asked, query, shown } = createReads(1);
  use(query);
  asked[0]?.resolve(pet(1, 'first'));
  await pass(5000);
  for (let change = 1; change <= 50; change += 1) {
    announceChange(pet(1, `${change}`));
    await pass(100);
    asked.at(-1)?.resolve(pet(1, `${change}`));
  }
  await pass(2000);
  asked.at(-1)?.resolve(pet(1, '50'));
  await pass(0);
  expect(asked.length).toBeWithin(5, 8);
  expect(shown()).toBe('50');
});

test('a change of another record reads nothing again', async () => {
  const { asked, query } = createReads(1);
  use(query);
  asked[0]?.resolve(pet(1, 'first'));
  await pass(5000);
  announceChange(pet(2, 'other'));
  await pass(5000);
  expect(asked).toHaveLength(1);
});

test('what is being read during a change is read again after its answer, and not before', async () => {
  const { asked, query, shown } = createReads(1);
  use(query);
  announceChange(pet(1, 'second'));
  await pass(5000);
  expect(asked).toHaveLength(1);
  asked[0]?.resolve(pet(1, 'first'));
  await pass(5000);
  expect(asked).toHaveLength(2);
  asked[1]?.resolve(pet(1, 'second'));
  await pass(0);
  expect(shown()).toBe('second');
});

test('a change during the first read is read after its answer, if this has the record', async () => {
  const { asked, query } = createReads(1);
  const idOf = (data: Pet | undefined) => (data === undefined ? [] : [tagOf('pet', data.id)]);
  use({ ...query, tags: idOf });
  announceChange(pet(1, 'second'));
  announceChange(pet(2, 'other'));
  await pass(1000);
  asked[0]?.resolve(pet(1, 'first'));
  await pass(1000);
  expect(asked).toHaveLength(2);
  asked[1]?.resolve(pet(1, 'second'));
  await pass(0);
  announceChange(pet(2, 'another'));
  await pass(5000);
  expect(asked).toHaveLength(2);
});

test('a write of this page is shown at once, and an answer from before it does not take it back', async () => {
  const { asked, query, shown } = createReads(1);
  use(query);
  asked[0]?.resolve(pet(1, 'first'));
  await pass(5000);
  announceChange(pet(1, 'by others'));
  await pass(1000);
  expect(asked).toHaveLength(2);
  announceOwnChange({ type: 'pet.updated', data: pet(1, 'own') });
  expect(shown()).toBe('own');
  asked[1]?.resolve(pet(1, 'by others'));
  await pass(0);
  expect(shown()).toBe('own');
});

test('what nothing shows is read again when it is used next', async () => {
  const { asked, query } = createReads(1);
  const first = fetchOnce(query);
  asked[0]?.resolve(pet(1, 'first'));
  await first;
  announceChange(pet(1, 'second'));
  await pass(0);
  expect(asked).toHaveLength(1);
  use(query);
  expect(asked).toHaveLength(2);
});

test('after missed events, everything in use is read again', async () => {
  const { asked, query } = createReads(1);
  use(query);
  asked[0]?.resolve(pet(1, 'first'));
  await pass(0);
  announce('reset');
  await pass(0);
  expect(asked).toHaveLength(2);
});
