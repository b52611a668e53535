import { describe, expect, test } from 'bun:test';
import { addPets, equalPets } from '../../../test/support/catalogue.ts';
import { openTestApp } from '../../../test/support/test-app.ts';
import { background } from '../../context/context.ts';
import type { Database } from '../../storage/contract/database.ts';
import { listPets } from '../operations/pets.ts';
import { represent } from './answer.ts';
import { createResponseCache, type ResponseCache } from './response-cache.ts';

const body = 'x'.repeat(10_000);
const representation = represent(listPets, { body, recordCount: 1 }, 'weak', true);

const requestOf = (search: string, sessionId?: string) => ({
  context: {
    call: background,
    caller: { workspaceId: 1n, workspaceIdText: '1', sessionId },
    target: { search },
  },
  operation: listPets,
});

/** Reads a query twice, so that its response is cached. */
async function fill(cache: ResponseCache, search: string): Promise<void> {
  for (let time = 0; time < 2; time += 1) {
    await cache.findOrRead(requestOf(search), { search }, () => representation);
  }
}

describe('the response cache', () => {
  test('stays below its bound, and evicts the least recently used answers first', async () => {
    await using app = await openTestApp();
    const cache = createResponseCache(app.database, 1_000_000);
    for (let index = 0; index < 100; index += 1) {
      await fill(cache, `query ${index}`);
      expect(await cache.find(requestOf('query 0'))).toBe(representation);
      expect(cache.bytes).toBeLessThanOrEqual(1_000_000);
    }
    expect(await cache.find(requestOf('query 99'))).toBe(representation);
    expect(await cache.find(requestOf('query 1'))).toBeUndefined();
  });

  test('does not keep filters that are requested once, so they evict no page', async () => {
    await using app = await openTestApp();
    for (let index = 0; index < 3; index += 1) await app.send('/v1/pets');
    for (let id = 0; id < 2000; id += 1) await app.send(`/v1/pets?limit=1&categoryId=${id}`);
    await app.send('/v1/pets');
    const { entries, hits, misses } = app.responseCache;
    expect({ entries, hits, misses }).toEqual({ entries: 1, hits: 2, misses: 2002 });
  });

  test('keeps no answer that is larger than its bound', async () => {
    await using app = await openTestApp();
    const cache = createResponseCache(app.database, 1000);
    await fill(cache, 'query');
    expect([cache.bytes, await cache.find(requestOf('query'))]).toEqual([0, undefined]);
  });

  test('drops answers after a change in their workspace, and keeps those of other workspaces', async () => {
    await using app = await openTestApp();
    await app.database.write(background, 'createWorkspace', { name: 'other', now: 0 });
    const cache = createResponseCache(app.database, 1_000_000);
    await fill(cache, 'query');
    const pet = { name: 'Rex', categoryId: 1n };
    await app.database.write(background, 'createPet', { workspaceId: 2n, pet });
    expect(await cache.find(requestOf('query'))).toBe(representation);
    await app.database.write(background, 'createPet', { workspaceId: 1n, pet });
    expect(await cache.find(requestOf('query'))).toBeUndefined();
    expect(cache.bytes).toBe(0);
  });

  test('answers a session of the console with the last commit, also if it notices commits of other servers late', async () => {
    await using app = await openTestApp();
    const late = { dataVersion: () => 1, staleMillisecondsMax: 500 };
    const database = Object.assign(Object.create(app.database) as Database, late);
    const cache = createResponseCache(database, 1_000_000);
    await fill(cache, 'query');
    expect(await cache.find(requestOf('query', 'session'))).toBe(representation);
    const pet = { name: 'Rex', categoryId: 1n };
    await app.database.write(background, 'createPet', { workspaceId: 1n, pet });
    expect(await cache.find(requestOf('query'))).toBe(representation);
    expect(await cache.find(requestOf('query', 'session'))).toBeUndefined();
  });

  test('keeps one answer for a page, however its query is written and for every host', async () => {
    await using app = await openTestApp();
    await addPets(app, equalPets(30));
    const ways = [
      '',
      '?',
      '?limit=20',
      '?&limit=20',
      '?l%69mit=20',
      '?limit=20&x=1',
      '?limit=%32%30',
    ];
    const hosts = Array.from({ length: 50 }, (_, index) => `http://host-${index}.test`);
    for (const base of [...hosts, ...hosts]) {
      for (const way of ways) {
        const request = new Request(`${base}/v1/pets${way}`, {
          headers: { authorization: `Bearer ${app.apiKey}` },
        });
        const response = await app.app(request);
        expect(response.headers.get('link')).toStartWith(`<${base}/v1/pets?limit=20&cursor=`);
        expect((await response.json()) as unknown[]).toHaveLength(20);
      }
    }
    expect([app.responseCache.entries, app.responseCache.misses]).toEqual([1, 2]);
    for (let index = 0; index < 3000; index += 1) await app.send(`/v1/pets?x=${index}`);
    expect([app.responseCache.entries, app.responseCache.misses]).toEqual([1, 2]);
  });

  test('does not keep the pages that a client walks through', () => {
    expect(listPets.isCacheable?.({ limit: 20, cursor: 'MS4x' })).toBe(false);
    expect(listPets.isCacheable?.({ limit: 20, id: [1n] })).toBe(false);
    expect(listPets.isCacheable?.({ limit: 20, status: 'sold' })).toBe(true);
  });
});
