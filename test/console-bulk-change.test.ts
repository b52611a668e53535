import { beforeEach, describe, expect, test } from 'bun:test';
import type { Pet } from '../client/src/contract.ts';
import { AnimalStoreError } from '../client/src/error.ts';
import { createTransport } from '../client/src/transport.ts';
import {
  type BulkPlan,
  type Changed,
  createTurns,
  type Outcome,
  planChange,
  planRevert,
  runPlan,
  type Target,
} from '../console/src/animals/bulk-change.ts';
import type { PetRow, RowResults } from '../console/src/contract.ts';
import { consoleOrigin, signInAsOwner } from './support/console-session.ts';
import { openSharedApp } from './support/shared-app.ts';

const app = await openSharedApp();
const page = await signInAsOwner(app);
const send = (input: string | URL | Request, init?: RequestInit) =>
  page.send(String(input).slice(consoleOrigin.length), init);
const transport = createTransport({
  baseUrl: `${consoleOrigin}/console/v1`,
  fetch: Object.assign(send, { preconnect: () => {} }),
});

type Send = (rows: readonly PetRow[]) => Promise<RowResults>;

const toServer: Send = async (rows) => {
  const options = { retryMillisecondsMax: 0 };
  const call = { method: 'POST', path: '/pet-changes', body: { rows }, options } as const;
  return Object((await transport.call(call)).value);
};

let stop = new AbortController();
beforeEach(() => {
  stop = new AbortController();
});

/** Runs a change of many. The requests can be counted, changed or lost. */
async function run<Item>(plan: BulkPlan<Item>, changePets: Send = toServer) {
  const outcomes = new Map<Item, Outcome>();
  const { signal } = new AbortController();
  const ended = await runPlan(plan, {
    ...{ stop: stop.signal, signal, changePets, onWaiting: () => {} },
    onOutcomes(some) {
      for (const [item, outcome] of some) {
        expect(outcomes.has(item)).toBe(false);
        outcomes.set(item, outcome);
      }
    },
  });
  const all = [...outcomes.values()];
  const changed = all.filter((one): one is Changed => 'after' in one);
  const refused = all.flatMap((one) => ('refusal' in one ? [one] : []));
  return { ...ended, changed, refused, outcomes };
}

let runCount = 0;
const change = (pets: readonly Pet[], target: Target, changePets?: Send) => {
  runCount += 1;
  return run(planChange(pets, target, `bulk-${runCount}`), changePets);
};
const revert = (changed: readonly Changed[], changePets?: Send) => {
  runCount += 1;
  return run(planRevert(changed, `undo-${runCount}`), changePets);
};

/** Adds animals, and returns them as a list has them. */
async function addPets(count: number): Promise<Pet[]> {
  const rows = Array.from({ length: count }, (_, index) => ({
    ...{ key: `add-${Bun.randomUUIDv7()}`, action: 'create' as const },
    pet: { name: `Rex ${index}`, categoryId: 7n },
  }));
  const pets: Pet[] = [];
  for (let first = 0; first < count; first += 500) {
    const { results } = await toServer(rows.slice(first, first + 500));
    for (const [index, { id = 0n }] of results.entries()) {
      pets.push({ id, name: `Rex ${first + index}`, categoryId: 7n, status: 'available' });
    }
  }
  return pets;
}

async function read({ id }: Pick<Pet, 'id'>): Promise<unknown> {
  const [pet] = (await (await app.send(`/v1/pets?id=${id}`)).json()) as unknown[];
  return pet;
}

const nameOf = async (pet: Pick<Pet, 'id'>) => Object(await read(pet)).name;
const statusOf = async (pet: Pick<Pet, 'id'>) => Object(await read(pet)).status;
const rename = ({ id }: Pet, name: string) => app.write('PATCH', `/v1/pets/${id}`, { name });

/** Finds one of the animals by its place. */
function at<Item>(items: readonly Item[], index: number): Item {
  const item = items[index];
  if (item === undefined) throw new Error(`There is no item ${index}`);
  return item;
}

/** Loses the answer to one request after the server has done it. */
function loseAnswer(request: number): { readonly send: Send; readonly sizes: number[] } {
  const sizes: number[] = [];
  const send: Send = async (rows) => {
    sizes.push(rows.length);
    const answer = await toServer(rows);
    if (sizes.length === request) throw new AnimalStoreError('connection_failed', 'lost');
    return answer;
  };
  return { send, sizes };
}

describe('a change of many animals', () => {
  test('needs few requests, one after the other', async () => {
    const pets = await addPets(1200);
    let openCount = 0;
    const sizes: number[] = [];
    const { changed } = await change(pets, { status: 'sold' }, async (rows) => {
      expect(openCount).toBe(0);
      openCount += 1;
      sizes.push(rows.length);
      const answer = await toServer(rows);
      openCount -= 1;
      return answer;
    });
    expect(changed.map(({ after }) => after)).toEqual(
      pets.map((pet) => ({ ...pet, status: 'sold' as const })),
    );
    expect(sizes.length).toBeLessThan(8);
    expect(await statusOf(at(pets, 1199))).toBe('sold');
  });

  test('leaves animals that were changed, reserved or deleted since, and says why', async () => {
    const [changedSince, reserved, deleted, free] = await addPets(4);
    if (!changedSince || !reserved || !deleted || !free) throw new Error('An animal is missing');
    await rename(changedSince, 'Max');
    await app.write('POST', '/v1/store/orders', { petId: Number(reserved.id) });
    await app.write('DELETE', `/v1/pets/${deleted.id}`);
    const seen: Pet = { ...reserved, status: 'pending' };
    const { outcomes, changed } = await change([changedSince, seen, deleted, free], 'deleted');
    expect(changed).toEqual([{ before: free, after: undefined, etag: undefined }]);
    expect([changedSince, seen, deleted].map((pet) => outcomes.get(pet))).toEqual([
      {
        refusal: 'Another user has changed it since you selected it, and it is available now.',
        now: { ...changedSince, name: 'Max' },
      },
      {
        refusal: expect.stringMatching(/^Order \d+ reserves animal \d+\. Hand it over/),
        now: seen,
      },
      { refusal: 'It was deleted.', now: undefined },
    ]);
  });

  test('changes an animal with a member that the list did not have', async () => {
    const pets = await addPets(2);
    let isFirst = true;
    const { changed, refused } = await change(pets, { status: 'sold' }, (rows) => {
      const sent = isFirst ? rows.map((row) => ({ ...row, ifMatch: '"older"' })) : rows;
      isFirst = false;
      return toServer(sent);
    });
    expect([changed.length, refused.length]).toEqual([2, 0]);
    expect(await statusOf(at(pets, 0))).toBe('sold');
  });

  test('is repeated after a lost answer, and changes nothing twice', async () => {
    const pets = await addPets(60);
    const lost = loseAnswer(1);
    const { changed, refused } = await change(pets, 'deleted', lost.send);
    expect([changed.length, refused.length]).toEqual([60, 0]);
    const lostAgain = loseAnswer(2);
    const undone = await revert(changed, lostAgain.send);
    expect(undone.changed).toHaveLength(60);
    const ids = undone.changed.map(({ after }) => after?.id ?? 0n);
    const [newest] = await addPets(1);
    // An animal that was added twice would have taken a number.
    expect(Number(newest?.id) - Math.max(...ids.map(Number))).toBe(1);
    expect(new Set(ids).size).toBe(60);
  }, 20_000);

  test('that is stopped names the animals whose answer is missing, and leaves those after them', async () => {
    const pets = await addPets(200);
    let requests = 0;
    const { unanswered, error, changed } = await change(pets, { status: 'sold' }, async (rows) => {
      requests += 1;
      const answer = await toServer(rows);
      if (requests < 2) return answer;
      stop.abort();
      throw new AnimalStoreError('timed_out', 'late');
    });
    expect([changed.length, unanswered.length, error]).toEqual([50, 100, undefined]);
    expect(unanswered).toEqual(pets.slice(50, 150));
    expect([await statusOf(at(pets, 149)), await statusOf(at(pets, 150))]).toEqual([
      'sold',
      'available',
    ]);
  });

  test('ends with the session, and names no animal that a request without a session could not change', async () => {
    const pets = await addPets(60);
    const ended = new AnimalStoreError('invalid_api_key', 'ended', { httpStatus: 401 });
    let requests = 0;
    const { unanswered, error, changed } = await change(pets, { status: 'sold' }, async (rows) => {
      requests += 1;
      if (requests > 1) throw ended;
      return toServer(rows);
    });
    expect([changed.length, unanswered, error]).toEqual([50, [], ended]);
  });
});

describe('the Undo of a change of many animals', () => {
  test('takes back each change, and deletes nothing of those who changed an animal again', async () => {
    const pets = await addPets(4);
    const { changed } = await change(pets, { status: 'sold', categoryId: 9n });
    const [first, second, third, fourth] = pets;
    if (!first || !second || !third || !fourth) throw new Error('An animal is missing');
    await rename(second, 'Max');
    await app.write('DELETE', `/v1/pets/${third.id}`);
    const undone = await revert(changed);
    expect(undone.changed.map(({ after }) => after)).toEqual([first, fourth]);
    expect(undone.refused).toEqual([
      {
        refusal: 'It was changed again since, and it is sold now.',
        now: { ...second, name: 'Max', status: 'sold', categoryId: 9n },
      },
      { refusal: 'It was deleted.', now: undefined },
    ]);
    expect([await read(first), await nameOf(second)]).toEqual([
      { ...first, id: Number(first.id), categoryId: 7 },
      'Max',
    ]);
  });

  test('that was stopped continues with the same keys, so that it adds no animal twice', async () => {
    const pets = await addPets(120);
    const { changed } = await change(pets, 'deleted');
    const keyPrefix = 'undo-stopped';
    const stopped = await run(planRevert(changed, keyPrefix), async (rows) => {
      const answer = await toServer(rows);
      stop.abort();
      if (rows.length > 50) return answer;
      throw new AnimalStoreError('connection_failed', 'lost');
    });
    expect([stopped.changed.length, stopped.unanswered.length]).toEqual([0, 50]);
    stop = new AbortController();
    const continued = await run(planRevert(changed, keyPrefix));
    const ids = continued.changed.map(({ after }) => Number(after?.id));
    expect(new Set(ids).size).toBe(120);
    expect(Math.max(...ids) - Math.min(...ids)).toBe(119);
  });
});

test('a run that fails does not prevent the next, and they run one after the other', async () => {
  const failures: unknown[] = [];
  const takeTurn = createTurns((error) => failures.push(error));
  const order: string[] = [];
  const fault = new Error('a fault of the page');
  const held = Promise.withResolvers<void>();
  void takeTurn(async () => {
    await held.promise;
    throw fault;
  });
  const begins = takeTurn(async () => void order.push('second'));
  const third = takeTurn(async () => void order.push('third'));
  expect(order).toEqual([]);
  held.resolve();
  await begins;
  await third;
  await takeTurn(() => undefined);
  expect([failures, order]).toEqual([[fault], ['second', 'third']]);
});
