import { describe, expect, test } from 'bun:test';
import { type EngineName, engineNames, prepareData, sqlOn } from '../../../test/support/engines.ts';
import { okOf } from '../../../test/support/outcome.ts';
import { background } from '../../context/context.ts';
import type { SortOrder } from '../../domain/page.ts';
import { type PetStatus, petStatuses } from '../../domain/pet.ts';
import type { Database } from '../../storage/contract/database.ts';
import { createPetPositions } from './pet-positions.ts';

const workspaceId = 1n;
const origin = { requestId: 'request', actor: 'owner', now: 1000 } as const;

const lists = [undefined, ...petStatuses].flatMap((status) =>
  (['id', '-id'] as const).map((sort) => ({ status, sort })),
);

/** Of a list of 200 animals, almost all are found by marks. */
const smallSizes = { nearMax: 4, stepMin: 3, marksMax: 30, changesMax: 40 };

/** A server's positions, with the number of reads of marks and a clock that the test sets. */
function openPositions(database: Database, sizes = smallSizes) {
  const stopping = new AbortController();
  const clock = { now: 0 };
  const counts = { marks: 0 };
  const counted = Object.assign(Object.create(database) as Database, {
    readPetMarks(...input: Parameters<Database['readPetMarks']>) {
      counts.marks += 1;
      clock.now += 1;
      return database.readPetMarks(...input);
    },
  });
  const options = { database: counted, steadyNow: () => clock.now, stopping: stopping.signal };
  return { ...createPetPositions(options, sizes), stopping, clock, counts };
}

type Positions = ReturnType<typeof openPositions>;

const random = (max: number) => Math.floor(Math.random() * max);
const randomStatus = () => petStatuses[random(petStatuses.length)];

function addPets(database: Database, count: number) {
  const pets = Array.from({ length: count }, () => ({
    name: 'Rex',
    categoryId: 7n,
    status: randomStatus(),
  }));
  return database.write(background, 'createPets', { workspaceId, pets });
}

/** A database with 200 animals, whose ids have gaps as a restore leaves them. */
async function openAnimals(engine: EngineName) {
  await using stack = new AsyncDisposableStack();
  const data = stack.use(await prepareData(engine));
  for (let gap = 0; gap < 4; gap += 1) {
    await using database = await data.open();
    await addPets(database, 50);
    await database[Symbol.asyncDispose]();
    const far = `next_pet_id + ${10 ** (3 * gap + 3)}`;
    await sqlOn(engine, data.url, `UPDATE workspaces SET next_pet_id = ${far}`);
  }
  const database = stack.use(await data.open());
  const owned = stack.move();
  return { database, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

/** The ids of a list, in its order. */
async function readIds(database: Database, status: PetStatus | undefined, sort: SortOrder) {
  const ids: bigint[] = [];
  for (let afterId: bigint | undefined; ; ) {
    const request = { limit: 100, afterId, status, sort };
    const page = await database.readPetPage(background, workspaceId, request);
    ids.push(...page.items.map(({ id }) => id));
    afterId = page.nextAfterId;
    if (afterId === undefined) return ids;
  }
}

/** How far the animals of many positions are from their places. */
async function findErrors(database: Database, { find }: Positions) {
  const errors: number[] = [];
  for (const { status, sort } of lists) {
    const ids = await readIds(database, status, sort);
    for (const position of [...ids.keys()].filter(() => random(3) === 0)) {
      const found = await find(background, { workspaceId, status }, { position, sort });
      expect(found).toMatchObject({ position, count: ids.length });
      errors.push(Math.abs(ids.indexOf(found.id ?? 0n) - position));
    }
  }
  return errors;
}

/** Changes ten animals, deletes ten, and adds ten. */
async function changeSome(database: Database) {
  const ids = await readIds(database, undefined, 'id');
  for (let turn = 0; turn < 10; turn += 1) {
    const [changed = 0n] = ids.splice(random(ids.length), 1);
    const [deleted = 0n] = ids.splice(random(ids.length), 1);
    const status = randomStatus();
    const change = { workspaceId, id: changed, changes: { status }, precondition: {}, origin };
    okOf(await database.write(background, 'updatePet', change));
    const removal = { workspaceId, id: deleted, precondition: {}, origin };
    okOf(await database.write(background, 'deletePet', removal));
    const pet = { name: 'New', categoryId: 7n, status: randomStatus() };
    okOf(await database.write(background, 'createPet', { workspaceId, pet, origin }));
  }
}

describe.each(engineNames)('the position of an animal on %s', (engine) => {
  test('is exact in every list, and again after changes', async () => {
    await using animals = await openAnimals(engine);
    const { database } = animals;
    const positions = openPositions(database);
    for (let round = 0; round < 3; round += 1) {
      await positions.prepare(workspaceId);
      expect(Math.max(...(await findErrors(database, positions)))).toBe(0);
      const { marks } = positions.counts;
      await changeSome(database);
      // No time passes, so that the marks rest.
      expect(Math.max(...(await findErrors(database, positions)))).toBeLessThanOrEqual(30);
      expect(positions.counts.marks).toBe(marks);
      positions.clock.now += 1000;
    }
  });

  test('is that of the last animal beyond the end, and none in an empty list', async () => {
    await using animals = await openAnimals(engine);
    const { database } = animals;
    const { find } = openPositions(database);
    const beyond = { position: 1e9, sort: '-id' } as const;
    const [oldest] = await readIds(database, undefined, 'id');
    expect(await find(background, { workspaceId }, beyond)).toEqual({
      id: oldest ?? 0n,
      position: 199,
      count: 200,
    });
    const none = { id: null, position: 0, count: 0 };
    expect(await find(background, { workspaceId: 2n }, beyond)).toEqual(none);
    okOf(await database.write(background, 'createWorkspace', { name: 'annex', now: 0 }));
    expect(await find(background, { workspaceId: 2n }, beyond)).toEqual(none);
  });

  test('is found from a mark, at any length of the list', async () => {
    await using data = await prepareData(engine);
    await using database = await data.open();
    for (let part = 0; part < 30; part += 1) await addPets(database, 1000);
    const positions = openPositions(database, { ...smallSizes, nearMax: 1000, stepMin: 512 });
    const middle = { position: 15_000, sort: '-id' } as const;
    expect(await positions.find(background, { workspaceId }, middle)).toMatchObject({
      id: 15_000n,
    });
    expect(positions.counts.marks).toBe(2);
  });
});

describe('marks', () => {
  test('are read for one call at a time, and rest longer than they take, however often the data changes', async () => {
    await using animals = await openAnimals('sqlite');
    const { database } = animals;
    const { find, counts, clock } = openPositions(database);
    const middle = { position: 100, sort: 'id' } as const;
    const findMany = () =>
      Promise.all(Array.from({ length: 1000 }, () => find(background, { workspaceId }, middle)));
    await findMany();
    expect(counts.marks).toBe(1);
    for (let change = 0; change < 20; change += 1) {
      await addPets(database, 1);
      await findMany();
    }
    expect(counts.marks).toBe(1);
    clock.now += 41;
    await addPets(database, 100);
    // So many changes that the call waits for new marks.
    await find(background, { workspaceId }, { position: 250, sort: 'id' });
    expect(counts.marks).toBe(2);
  });

  test('that cannot be read fail the calls that wait for them, and are read again', async () => {
    await using animals = await openAnimals('sqlite');
    let isBroken = true;
    const database = Object.assign(Object.create(animals.database) as Database, {
      readPetMarks(...input: Parameters<Database['readPetMarks']>) {
        if (isBroken) throw new Error('broken');
        return animals.database.readPetMarks(...input);
      },
    });
    const { find } = openPositions(database);
    const middle = { position: 100, sort: 'id' } as const;
    await expect(find(background, { workspaceId }, middle)).rejects.toThrow('broken');
    isBroken = false;
    const ids = await readIds(database, undefined, 'id');
    expect(await find(background, { workspaceId }, middle)).toMatchObject({ id: ids[100] });
  });

  test('are not read any more when the server stops', async () => {
    await using animals = await openAnimals('sqlite');
    const { prepare, stopping, counts } = openPositions(animals.database);
    const prepared = prepare(workspaceId);
    stopping.abort();
    await expect(prepared).rejects.toThrow('The call was aborted');
    expect(counts.marks).toBe(1);
  });

  test('are kept of the lists that were used last', async () => {
    await using animals = await openAnimals('sqlite');
    const { database } = animals;
    for (let index = 0; index < 70; index += 1) {
      okOf(await database.write(background, 'createWorkspace', { name: `w${index}`, now: 0 }));
      const pets = Array.from({ length: 20 }, () => ({ name: 'Rex', categoryId: 7n }));
      const input = { workspaceId: BigInt(index + 2), pets };
      okOf(await database.write(background, 'createPets', input));
    }
    const { find, counts } = openPositions(database);
    const middle = { position: 10, sort: 'id' } as const;
    for (let id = 1n; id <= 71n; id += 1n) await find(background, { workspaceId: id }, middle);
    expect(counts.marks).toBe(71);
    await find(background, { workspaceId: 71n }, middle);
    expect(counts.marks).toBe(71);
    await find(background, { workspaceId: 1n }, middle);
    expect(counts.marks).toBe(72);
  });
});
