import { expect, test } from 'bun:test';
import { background } from '../src/context/context.ts';
import { createFindApiKey } from '../src/http/access/authenticate.ts';
import { newApiKey } from '../src/http/access/new-api-key.ts';
import { newConsoleToken } from '../src/http/console/token.ts';
import type { Database } from '../src/storage/contract/database.ts';
import { sendFromPage, signInAsOwner } from './support/console-session.ts';
import { chosenEngine, prepareData } from './support/engines.ts';
import { createKey } from './support/new-key.ts';
import { okOf } from './support/outcome.ts';
import { openTestApp } from './support/test-app.ts';

type KeyReads = Pick<Database, 'findApiKey' | 'findApiKeys'>;

function findApiKeyOf(database: Database, reads: KeyReads = database) {
  return createFindApiKey({
    database: {
      dataVersion: () => database.dataVersion(),
      accessVersion: () => database.accessVersion(),
      staleMillisecondsMax: database.staleMillisecondsMax,
      findApiKey: reads.findApiKey,
      findApiKeys: reads.findApiKeys,
    },
    environment: 'production',
    now: Date.now,
    operatorApiKey: undefined,
  });
}

/** Counts the lookups in a real database: in total, and at the same time. */
function countReads(database: Database) {
  const counts = { queries: 0, atOnceMax: 0 };
  let running = 0;
  async function count<Result>(query: Promise<Result>): Promise<Result> {
    counts.queries += 1;
    running += 1;
    counts.atOnceMax = Math.max(counts.atOnceMax, running);
    return await query.finally(() => (running -= 1));
  }
  const counted = <Result>(result: Result | Promise<Result>) => {
    if (result instanceof Promise) return count(result);
    counts.queries += 1;
    return result;
  };
  const reads: KeyReads = {
    findApiKey: (context, digest) => counted(database.findApiKey(context, digest)),
    findApiKeys: (context, digests) => counted(database.findApiKeys(context, digests)),
  };
  return { counts, reads };
}

const unknownKeys = (count: number) =>
  Array.from({ length: count }, () => newApiKey('production').text);

test('2000 unknown keys at once use one connection, and a valid key is found at the same time', async () => {
  await using data = await prepareData();
  await using database = await data.open();
  const valid = newApiKey('production');
  const { id } = await createKey(database, valid);
  const { counts, reads } = countReads(database);
  const findApiKey = findApiKeyOf(database, reads);
  const texts = [...unknownKeys(1000), valid.text, ...unknownKeys(1000)];
  const found = await Promise.all(texts.map((text) => findApiKey(background, text)));
  expect(found.flatMap((one) => one?.caller.apiKeyId ?? [])).toEqual([id]);
  expect(counts).toEqual(
    chosenEngine === 'sqlite' ? { queries: 2001, atOnceMax: 0 } : { queries: 2, atOnceMax: 1 },
  );
});

test('a new key is valid on every server at once, also if it was refused before', async () => {
  await using data = await prepareData();
  await using one = await data.open();
  await using two = await data.open();
  const servers = [findApiKeyOf(one), findApiKeyOf(two)];
  for (let round = 0; round < 20; round += 1) {
    const key = newApiKey('production');
    for (const findApiKey of servers)
      expect(await findApiKey(background, key.text)).toBeUndefined();
    const { id } = await createKey(one, key);
    for (const findApiKey of servers) {
      expect((await findApiKey(background, key.text))?.caller.apiKeyId).toBe(id);
    }
  }
});

test('an unknown key is cached until the next commit if the commits of all servers are seen at once', async () => {
  await using data = await prepareData();
  await using database = await data.open();
  const { counts, reads } = countReads(database);
  const findApiKey = findApiKeyOf(database, reads);
  const [text = ''] = unknownKeys(1);
  for (let round = 0; round < 10; round += 1)
    expect(await findApiKey(background, text)).toBeUndefined();
  expect(counts.queries).toBe(chosenEngine === 'sqlite' ? 1 : 10);
  await createKey(database);
  expect(await findApiKey(background, text)).toBeUndefined();
  expect(counts.queries).toBe(chosenEngine === 'sqlite' ? 2 : 11);
});

test('a key that writes is looked up once on SQLite, and after each write on PostgreSQL', async () => {
  await using data = await prepareData();
  await using database = await data.open();
  const key = newApiKey('production');
  const { id } = await createKey(database, key);
  const { counts, reads } = countReads(database);
  const findApiKey = findApiKeyOf(database, reads);
  for (let count = 0; count < 20; count += 1) {
    expect((await findApiKey(background, key.text))?.caller.apiKeyId).toBe(id);
    const input = { workspaceId: 1n, pet: { name: 'Rex', categoryId: 1n } };
    okOf(await database.write(background, 'createPet', input));
  }
  expect(counts.queries).toBe(chosenEngine === 'sqlite' ? 1 : 20);
});

test.each(['has no answer', 'fails'])(
  'a valid key is found while the lookup of another %s',
  async (how) => {
    await using data = await prepareData();
    await using database = await data.open();
    const valid = newApiKey('production');
    const { id } = await createKey(database, valid);
    const lookup = Promise.withResolvers<undefined>();
    const findApiKey = findApiKeyOf(database, { ...database, findApiKey: () => lookup.promise });
    const [other = ''] = unknownKeys(1);
    const refused = findApiKey(background, other);
    const found = findApiKey(background, valid.text);
    if (how === 'fails') {
      lookup.reject(new Error('The connection broke'));
      await expect(async () => await refused).toThrow('The connection broke');
    }
    expect((await found)?.caller.apiKeyId).toBe(id);
    lookup.resolve(undefined);
    if (how !== 'fails') expect(await refused).toBeUndefined();
  },
);

test('a session of the console is found among 500 unknown ones', async () => {
  await using app = await openTestApp();
  const { cookie } = await signInAsOwner(app);
  const [name = ''] = cookie.split('=');
  const unknown = () => Array.from({ length: 250 }, () => `${name}=${newConsoleToken().text}`);
  const cookies = [...unknown(), cookie, ...unknown()];
  const answers = await Promise.all(
    cookies.map((sent) => sendFromPage(app, '/console/v1/pets', { headers: { cookie: sent } })),
  );
  expect(answers.map(({ status }) => status)).toEqual(
    cookies.map((sent) => (sent === cookie ? 200 : 401)),
  );
});
