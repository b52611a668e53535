import { expect, test } from 'bun:test';
import type { RowResults } from '../console/src/contract.ts';
import { expectError } from './support/answers.ts';
import { type ConsoleSession, signIn, signInAsOwner } from './support/console-session.ts';
import { openTestApp, type TestApp } from './support/test-app.ts';

const path = '/console/v1/pet-changes';

async function send(page: ConsoleSession, rows: readonly object[]) {
  const answer = await page.write('POST', path, { rows });
  expect(answer.status).toBe(200);
  return ((await answer.json()) as RowResults).results;
}

async function addPets(app: TestApp, count: number): Promise<string[]> {
  const tags: string[] = [];
  for (let index = 1; index <= count; index += 1) {
    const { headers } = await app.post({ name: `Rex ${index}`, categoryId: 7 });
    tags.push(headers.get('etag') ?? '');
  }
  return tags;
}

async function readPets(app: TestApp) {
  const pets = (await (await app.send('/v1/pets?sort=id')).json()) as Record<string, unknown>[];
  return pets.map(({ id, name, status }) => [id, name, status]);
}

test('a change of many changes each animal as its user saw it; others are named as they are now, and have no part in it', async () => {
  await using app = await openTestApp();
  const page = await signInAsOwner(app);
  const tags = await addPets(app, 6);
  await app.write('PATCH', '/v1/pets/2', { name: 'Max' });
  await app.write('POST', '/v1/store/orders', { petId: 3 });
  const reserved = (await app.send('/v1/pets/3')).headers.get('etag');
  const sell = (id: number, ifMatch = tags[id - 1]) => ({
    ...{ key: `sell-${id}`, action: 'update', id, ifMatch },
    pet: { status: 'sold' },
  });
  const results = await send(page, [
    sell(1),
    sell(2),
    sell(3, reserved ?? ''),
    { key: 'delete-4', action: 'delete', id: 4, ifMatch: tags[3] },
    sell(5, 'x'),
    { ...sell(6), pet: { status: 'gone' } },
    sell(9),
    { key: 'create-1', action: 'create', pet: { name: 'Ada', categoryId: 7 } },
  ]);
  expect(results.map(({ status, code }) => [status, code])).toEqual([
    [200, undefined],
    [412, 'precondition_failed'],
    [409, 'conflict'],
    [204, undefined],
    [400, 'invalid_header'],
    [400, 'invalid_body'],
    [404, 'not_found'],
    [201, undefined],
  ]);
  const tagOf = async (id: number) => (await app.send(`/v1/pets/${id}`)).headers.get('etag') ?? '';
  expect([results[0]?.etag, results[7]?.etag]).toEqual([await tagOf(1), await tagOf(7)]);
  expect(results[1]?.pet).toEqual({
    id: 2,
    name: 'Max',
    categoryId: 7,
    status: 'available',
  } as never);
  expect(results[2]?.pet).toMatchObject({ id: 3, status: 'pending' });
  expect(results[2]?.message).toBe('Order 1 for animal 3 is open; ship or cancel it first');
  const single = await app.write('PATCH', '/v1/pets/9', { status: 'sold' });
  expect(results[6]).toEqual({ id: 9, ...Object(await single.json()) });
  expect(await readPets(app)).toEqual([
    [1, 'Rex 1', 'sold'],
    [2, 'Max', 'available'],
    [3, 'Rex 3', 'pending'],
    [5, 'Rex 5', 'available'],
    [6, 'Rex 6', 'available'],
    [7, 'Ada', 'available'],
  ]);
});

test('its Undo sends the versions of the results, and what was changed since stays', async () => {
  await using app = await openTestApp();
  const page = await signInAsOwner(app);
  const tags = await addPets(app, 3);
  const changed = await send(
    page,
    tags.map((ifMatch, index) => ({
      ...{ key: `sell-${index}`, action: 'update', id: index + 1, ifMatch },
      pet: { status: 'sold' },
    })),
  );
  await app.write('PATCH', '/v1/pets/2', { name: 'Max' });
  const undone = await send(
    page,
    changed.map(({ id, etag }) => ({
      ...{ key: `undo-${id}`, action: 'update', id, ifMatch: etag },
      pet: { status: 'available' },
    })),
  );
  expect(undone.map(({ status }) => status)).toEqual([200, 412, 200]);
  expect(undone.map(({ etag }) => etag)).toEqual([tags[0], undefined, tags[2]]);
  expect(undone[1]?.pet).toMatchObject({ id: 2, name: 'Max', status: 'sold' });
});

test('a repeated change of many has the same results and changes nothing; a key of another row is refused', async () => {
  await using app = await openTestApp();
  const page = await signInAsOwner(app);
  const tags = await addPets(app, 2);
  const rows = [
    { key: 'a', action: 'update', id: 1, ifMatch: tags[0], pet: { name: 'Max' } },
    { key: 'b', action: 'delete', id: 2, ifMatch: tags[1] },
    { key: 'c', action: 'create', pet: { name: 'Ada', categoryId: 7 } },
    { key: 'd', action: 'create', pet: { name: 'Ada', categoryId: 7 } },
  ];
  const before = await send(page, rows);
  await app.write('PATCH', '/v1/pets/1', { name: 'Of another' });
  const again = await send(page, rows);
  expect(again).toEqual(before.map((result) => ({ ...result, isRepeated: true })));
  expect(await readPets(app)).toHaveLength(3);
  const [reused] = await send(page, [{ key: 'a', action: 'update', id: 1, pet: { name: 'Eve' } }]);
  expect(reused).toMatchObject({ status: 422, code: 'idempotency_key_reused' });
});

test('rows of one change may not be about one animal, have one key, or miss an id', async () => {
  await using app = await openTestApp();
  const page = await signInAsOwner(app);
  const remove = { key: 'a', action: 'delete', id: 1 };
  for (const rows of [
    [remove, { ...remove, key: 'b' }],
    [remove, { ...remove, id: 2 }],
    [{ ...remove, id: undefined }],
    [{ ...remove, action: 'create' }],
    [{ ...remove, key: '' }],
    [{ ...remove, action: 'sell' }],
    'rows',
  ]) {
    await expectError(await page.write('POST', path, { rows }), 'invalid_body');
  }
});

test('a change of many needs the scope of a single change, and names no animal to a key that may not read', async () => {
  await using app = await openTestApp();
  await addPets(app, 1);
  const { text: reader } = await app.createKey({ scopes: ['pets:read'] });
  const reading = await signIn(app, { apiKey: reader });
  await expectError(await reading.write('POST', path, {}), 'insufficient_scope');
  const { text: writer } = await app.createKey({ scopes: ['pets:write'] });
  const writing = await signIn(app, { apiKey: writer });
  const [refused] = await send(writing, [{ key: 'a', action: 'delete', id: 1, ifMatch: '"old"' }]);
  expect(refused).toEqual({
    ...{ id: 1 as never, status: 412, code: 'precondition_failed' },
    message:
      'The animal has changed since this ETag (a weak ETag never matches). Read it again, then retry.',
  });
});

test.each([
  [[null], 'rows must be objects, got null'],
  [[{ action: 'create', pet: {} }], 'rows.0.key is required'],
  [Array.from({ length: 501 }, () => null), 'rows must be a list of 1 to 500 rows, got 501'],
])(
  'a request whose rows do not have their form is refused with the place of the fault: %#',
  async (rows, message) => {
    await using app = await openTestApp();
    const page = await signInAsOwner(app);
    const answer = await page.write('POST', path, { rows });
    expect(await answer.json()).toEqual({ status: 400, code: 'invalid_body', message });
  },
);
