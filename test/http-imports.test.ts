import { describe, expect, test } from 'bun:test';
import type { Import, RowResults } from '../console/src/contract.ts';
import { background } from '../src/context/context.ts';
import { importMilliseconds } from '../src/domain/import.ts';
import { expectError } from './support/answers.ts';
import { addWorkspace } from './support/catalogue.ts';
import { type ConsoleSession, jsonInit, signIn, signInAsOwner } from './support/console-session.ts';
import { chosenEngine, sqlOn } from './support/engines.ts';
import { openTestApp, type TestApp } from './support/test-app.ts';

const source = 'a'.repeat(64);

interface SentRow {
  readonly row: number;
  readonly pet: object;
  readonly replaces?: number;
}

function rowsOf(count: number, first = 0): readonly SentRow[] {
  return Array.from({ length: count }, (_, index) => {
    const row = first + index;
    return { row, pet: { name: `Rex ${row}`, categoryId: 7 } };
  });
}

async function resultsOf(answer: Response) {
  expect(answer.status).toBe(200);
  // As the page reads them, with numbers for integers.
  const { results } = (await answer.json()) as RowResults;
  return results;
}

const add = (page: ConsoleSession, rows: readonly SentRow[]) =>
  page.write('POST', `/console/v1/imports/${source}/pets`, { rows });

const undo = (page: ConsoleSession, rows: readonly number[]) =>
  page.write('POST', `/console/v1/imports/${source}/undo`, { rows });

async function readImport(page: ConsoleSession, after = -1) {
  const answer = await page.send(`/console/v1/imports/${source}?after=${after}`);
  expect(answer.status).toBe(200);
  return (await answer.json()) as Import;
}

async function countPets(app: TestApp, workspaceId = 1n): Promise<number> {
  const { available, pending, sold } = await app.database.readInventory(background, workspaceId);
  return available + pending + sold;
}

describe('the rows of an import', () => {
  test('are added once, each with its own event, and continue in any browser after a kill between two requests', async () => {
    await using app = await openTestApp();
    const first = await signInAsOwner(app);
    const added = await resultsOf(await add(first, rowsOf(300)));
    expect(added).toHaveLength(300);
    expect(added[0]).toEqual({
      status: 201,
      id: 1 as never,
      etag: expect.stringMatching(/^"\w{32}"$/),
    });
    const tag = (await app.send('/v1/pets/300')).headers.get('etag');
    expect(added[299]).toEqual({ status: 201, id: 300 as never, etag: tag ?? '' });
    const events = await app.send('/v1/events?limit=100&after=250');
    expect(((await events.json()) as unknown[]).at(-1)).toMatchObject({
      ...{ type: 'pet.created', sequence: 300, actor: 'owner' },
      data: { id: 300, name: 'Rex 299' },
    });

    // The browser was killed before the answer. Another one chooses the same file.
    const second = await signIn(app, { apiKey: app.apiKey });
    const { rows, nextAfter, categories } = await readImport(second);
    expect([rows.length, nextAfter, categories]).toEqual([300, null, []]);
    expect(rows.at(-1)).toEqual({ row: 299, id: 300 as never, exists: true });
    const continued = await resultsOf(await add(second, rowsOf(300, 200)));
    expect(continued.map(({ status, isRepeated }) => [status, isRepeated])).toEqual(
      Array.from({ length: 300 }, (_, index) => (index < 100 ? [200, true] : [201, undefined])),
    );
    expect(continued.map(({ id }) => Number(id))).toEqual(
      Array.from({ length: 300 }, (_, index) => index + 201),
    );
    expect(await countPets(app)).toBe(500);
  });

  test('are added once by two browsers at the same moment', async () => {
    await using app = await openTestApp();
    const page = await signInAsOwner(app);
    const answers = await Promise.all(Array.from({ length: 4 }, () => add(page, rowsOf(50))));
    const results = await Promise.all(answers.map(resultsOf));
    const ids = results.map((rows) => rows.map(({ id }) => id));
    expect(ids).toEqual(Array.from({ length: 4 }, () => ids[0] ?? []));
    expect(results.flat().filter(({ status }) => status === 201)).toHaveLength(50);
    expect(await countPets(app)).toBe(50);
  });

  test('have the error of a single call if they are refused, and the others are added', async () => {
    await using app = await openTestApp();
    const page = await signInAsOwner(app);
    const bad = [
      { row: 1, pet: { name: '', categoryId: 1 } },
      { row: 2, pet: { name: 'Rex' } },
      { row: 3, pet: ['Rex'] },
      { row: 4, pet: { name: 'Rex', categoryId: 1, status: 'gone' } },
    ];
    const results = await resultsOf(
      await add(page, [{ row: 0, pet: { name: 'Ada', categoryId: 1 } }, ...bad, ...rowsOf(1, 5)]),
    );
    const single = await Promise.all(bad.map(async ({ pet }) => (await app.post(pet)).json()));
    expect(results.slice(1, 5)).toEqual(single as never);
    expect(results.map(({ status }) => status)).toEqual([201, 400, 400, 400, 400, 201]);
    expect(await countPets(app)).toBe(2);
    expect((await readImport(page)).rows.map(({ row }) => row)).toEqual([0, 5]);
  });

  test('keep each digit of an int64', async () => {
    await using app = await openTestApp();
    const page = await signInAsOwner(app);
    const body = `{"rows":[{"row":0,"pet":{"name":"Rex","categoryId":-9223372036854775808}}]}`;
    const headers = { 'content-type': 'application/json' };
    await resultsOf(
      await page.send(`/console/v1/imports/${source}/pets`, { method: 'POST', body, headers }),
    );
    expect(await (await app.send('/v1/pets/1')).text()).toContain('-9223372036854775808');
  });

  test('count as that many calls: as many run as the limit admits, at least one, and the others are not counted', async () => {
    await using app = await openTestApp({ rateLimit: { count: 10, seconds: 60 } });
    const page = await signInAsOwner(app);
    const answer = await add(page, rowsOf(25));
    expect(answer.headers.get('retry-after')).toBe('6');
    expect(answer.headers.get('ratelimit')).toBe('"default";r=0;t=6');
    expect(await resultsOf(answer)).toHaveLength(10);
    const refused = await add(page, rowsOf(15, 10));
    expect(refused.headers.get('retry-after')).toBe('6');
    await expectError(refused, 'rate_limited');
    app.now += 6_000;
    const one = await add(page, rowsOf(15, 10));
    expect(await resultsOf(one)).toHaveLength(1);
    app.now += 60_000;
    const rest = await add(page, rowsOf(9, 11));
    expect(rest.headers.get('retry-after')).toBeNull();
    expect(rest.headers.get('ratelimit')).toBe('"default";r=1;t=6');
    expect(await resultsOf(rest)).toHaveLength(9);
    expect(await countPets(app)).toBe(20);
  });

  test('are in the workspace of the session alone', async () => {
    await using app = await openTestApp();
    await addWorkspace(app, 'annex');
    const page = await signInAsOwner(app);
    const annex = await signInAsOwner(app, 'annex');
    await resultsOf(await add(page, rowsOf(3)));
    expect(await readImport(annex)).toEqual({ rows: [], nextAfter: null, categories: [] });
    const [undone] = await resultsOf(await undo(annex, [0]));
    expect(undone).toMatchObject({ status: 404, code: 'not_found' });
    expect((await resultsOf(await add(annex, rowsOf(1))))[0]).toMatchObject({ status: 201 });
    expect((await readImport(page)).rows).toHaveLength(3);
  });

  test('need the scope of a single call, before their body is read', async () => {
    await using app = await openTestApp();
    const { text: reader } = await app.createKey({ scopes: ['pets:read'] });
    const { text: writer } = await app.createKey({ scopes: ['pets:write'] });
    const reading = await signIn(app, { apiKey: reader });
    const writing = await signIn(app, { apiKey: writer });
    for (const path of ['pets', 'categories', 'undo']) {
      const answer = await reading.send(
        `/console/v1/imports/${source}/${path}`,
        jsonInit('POST', 'no rows'),
      );
      await expectError(answer, 'insufficient_scope');
    }
    const answer = await writing.send(`/console/v1/imports/${source}`);
    await expectError(answer, 'insufficient_scope');
    expect((await resultsOf(await add(writing, rowsOf(1))))[0]).toMatchObject({ status: 201 });
  });

  test('are at most 500 of at most 1 MiB in one request', async () => {
    await using app = await openTestApp();
    const page = await signInAsOwner(app);
    await expectError(await add(page, rowsOf(501)), 'invalid_body');
    await expectError(await add(page, []), 'invalid_body');
    await expectError(await add(page, [{ row: -1, pet: {} }]), 'invalid_body');
    const long = rowsOf(500).map((each) => ({ ...each, note: 'x'.repeat(2_000) }));
    expect(await resultsOf(await add(page, long))).toHaveLength(500);
    const tooLong = long.map((each) => ({ ...each, more: 'x'.repeat(100) }));
    await expectError(await add(page, tooLong), 'content_too_large');
    expect((await page.send('/console/v1/imports/x')).status).toBe(404);
  });
});

describe('the Undo of an import', () => {
  test('removes exactly what was added, in another browser; what was changed or reserved since stays and is named', async () => {
    await using app = await openTestApp();
    await resultsOf(await add(await signInAsOwner(app), rowsOf(6)));
    await app.write('PATCH', '/v1/pets/2', { name: 'Max' });
    await app.write('POST', '/v1/store/orders', { petId: 3 });
    await app.write('DELETE', '/v1/pets/4');
    await app.post({ name: 'Of another', categoryId: 7 });
    const page = await signInAsOwner(app);
    const answer = await undo(page, [0, 1, 2, 3, 4, 5, 6]);
    const results = await resultsOf(answer);
    expect(results.map(({ status, code }) => [status, code])).toEqual([
      [204, undefined],
      [412, 'precondition_failed'],
      [412, 'precondition_failed'],
      [404, 'not_found'],
      [204, undefined],
      [204, undefined],
      [404, 'not_found'],
    ]);
    expect(results[1]?.pet).toEqual({
      id: 2,
      name: 'Max',
      categoryId: 7,
      status: 'available',
    } as never);
    expect(results[2]?.pet).toEqual({
      id: 3,
      name: 'Rex 2',
      categoryId: 7,
      status: 'pending',
    } as never);
    expect(await countPets(app)).toBe(3);
    expect((await readImport(page)).rows.map(({ row, exists }) => [row, exists])).toEqual([
      [0, false],
      [1, true],
      [2, true],
      [3, false],
      [4, false],
      [5, false],
    ]);
  });

  test('has the same answer if it is repeated because the first one was lost', async () => {
    await using app = await openTestApp();
    const page = await signInAsOwner(app);
    await resultsOf(await add(page, rowsOf(2)));
    const before = await resultsOf(await undo(page, [0, 1]));
    const again = await resultsOf(await undo(page, [0, 1]));
    expect(again).toEqual(before.map((result) => ({ ...result, isRepeated: true })));
  });

  test('leaves rows that can be added again, once', async () => {
    await using app = await openTestApp();
    const page = await signInAsOwner(app);
    await resultsOf(await add(page, rowsOf(2)));
    await resultsOf(await undo(page, [0, 1]));
    // The record has it, whatever the browser that sends it has seen.
    expect((await resultsOf(await add(page, rowsOf(1))))[0]).toMatchObject({ status: 200, id: 1 });
    const replacing = rowsOf(2).map((each) => ({ ...each, replaces: each.row + 1 }));
    for (const status of [201, 200]) {
      const results = await resultsOf(await add(page, replacing));
      expect(results.map((result) => [result.status, Number(result.id)])).toEqual([
        [status, 3],
        [status, 4],
      ]);
    }
    // An animal that exists is not replaced.
    const existing = rowsOf(1).map((each) => ({ ...each, replaces: 3 }));
    expect((await resultsOf(await add(page, existing)))[0]).toMatchObject({ status: 200, id: 3 });
    expect((await resultsOf(await undo(page, [0, 1]))).map(({ status }) => status)).toEqual([
      204, 204,
    ]);
    expect(await countPets(app)).toBe(0);
  });
});

test('the categories of an import are added once by their name, and the page of it has their tags', async () => {
  await using app = await openTestApp();
  const page = await signInAsOwner(app);
  const addCategories = async (...names: string[]) => {
    const rows = names.map((name) => ({ category: { name } }));
    return resultsOf(
      await page.write('POST', `/console/v1/imports/${source}/categories`, { rows }),
    );
  };
  const [dogs, cats, again] = await addCategories('Dogs', 'Cats', 'Dogs');
  expect([dogs?.status, cats?.status, again?.status, again?.id]).toEqual([201, 201, 200, dogs?.id]);
  expect((await addCategories('', 'Cats')).map(({ status }) => status)).toEqual([400, 200]);
  await app.write('PUT', '/v1/categories/2', { name: 'Felines' });
  expect((await addCategories('Cats'))[0]).toMatchObject({ status: 201, id: 3 });
  await app.write('DELETE', '/v1/categories/3');
  const { categories } = await readImport(page);
  const tag = (await app.send('/v1/categories/1')).headers.get('etag') ?? '';
  expect(categories.map(({ id }) => Number(id))).toEqual([1, 2]);
  expect(categories[0]?.etag).toBe(tag);
});

test('a category of an import gets the number of the file, unless a category has it', async () => {
  await using app = await openTestApp();
  const page = await signInAsOwner(app);
  await app.write('PUT', '/v1/categories/12', { name: 'Owls' });
  const rows = [
    { category: { name: 'Mice' } },
    { category: { name: 'Dogs' }, id: 1 },
    { category: { name: 'Cats' }, id: 12 },
    { category: { name: 'Cats' }, id: -7 },
    { category: { name: 'Birds' }, id: -7 },
  ];
  const path = `/console/v1/imports/${source}/categories`;
  const add = async (sent: readonly object[]) => {
    const results = await resultsOf(await page.write('POST', path, { rows: sent }));
    return results.map(({ status, id }) => [status, Number(id)]);
  };
  expect(await add(rows)).toEqual([
    [201, 2],
    [201, 1],
    [201, 3],
    [201, -7],
    [201, 4],
  ]);
  expect(await add([...rows.slice(0, 2), ...rows.slice(3, 4)])).toEqual([
    [200, 2],
    [200, 1],
    [200, -7],
  ]);
  const { categories } = await readImport(page);
  expect(categories.map(({ id }) => Number(id))).toEqual(expect.arrayContaining([-7, 1, 2, 3, 4]));
});

test('an import is cleared 30 days after its last row, a part at a time, and its animals stay', async () => {
  await using app = await openTestApp();
  const page = await signInAsOwner(app);
  await resultsOf(await add(page, rowsOf(30)));
  app.now += importMilliseconds - 1;
  const { text } = await app.createKey();
  const later = await signIn(app, { apiKey: text });
  await resultsOf(await add(later, rowsOf(1, 30)));
  const clear = async () => {
    const step = { now: app.now, rowsMax: 20 };
    return (await app.database.write(background, 'deleteExpiredImport', step)).ok;
  };
  app.now += 1;
  expect(await clear()).toBe(false);
  app.now += importMilliseconds;
  expect([await clear(), await clear(), await clear()]).toEqual([true, true, false]);
  expect(await countPets(app)).toBe(31);
  const last = await signIn(app, { apiKey: text });
  expect((await readImport(last)).rows).toEqual([]);
});

test('an import is deleted with its workspace, and one that an older server left there when it expires', async () => {
  await using app = await openTestApp();
  await addWorkspace(app, 'annex');
  const annex = await signInAsOwner(app, 'annex');
  await resultsOf(await add(annex, rowsOf(3)));
  const count = async () => {
    const [row] = await sqlOn(
      chosenEngine,
      app.data.url,
      'SELECT (SELECT count(*) FROM imports) + (SELECT count(*) FROM imported_records) AS count',
    );
    return Number(row?.count);
  };
  expect(await count()).toBe(4);
  const { id = 0n } = (await app.database.findWorkspace(background, 'annex')) ?? {};
  const step = { id, rowsMax: 1000, now: app.now };
  await app.database.write(background, 'deleteWorkspaceStep', step);
  expect(await count()).toBe(0);
  await sqlOn(
    chosenEngine,
    app.data.url,
    `INSERT INTO imports (workspace_id, id, source, expires_at) VALUES (${id}, 1, 'a', ${app.now})`,
  );
  const expired = { now: app.now, rowsMax: 500 };
  for (const ok of [true, false]) {
    expect(await app.database.write(background, 'deleteExpiredImport', expired)).toEqual({ ok });
  }
  expect(await count()).toBe(0);
});
