import { describe, expect, test } from 'bun:test';
import { openTestApp } from '../../test/support/test-app.ts';
import { createKeptAnswers } from './kept-answers.ts';
import { listPets } from './operations/list-pets.ts';
import { represent } from './representation.ts';

const body = 'x'.repeat(10_000);
const representation = represent({ httpStatus: 200, headers: {}, body }, undefined, true);

describe('kept answers', () => {
  test('stay below their bound, and the least recently used go first', async () => {
    await using app = await openTestApp();
    const kept = createKeptAnswers(app.database, 100_000);
    const workspaceId = 1n;
    const moment = await kept.moment(workspaceId);
    for (let index = 0; index < 100; index += 1) {
      kept.keep(`key ${index}`, moment, representation);
      expect(await kept.find('key 0', workspaceId)).toBe(representation);
      expect(kept.bytes).toBeLessThanOrEqual(100_000);
    }
    expect(await kept.find('key 99', workspaceId)).toBe(representation);
    expect(await kept.find('key 1', workspaceId)).toBeUndefined();
  });

  test('keep nothing that is larger than the bound', async () => {
    await using app = await openTestApp();
    const kept = createKeptAnswers(app.database, 1000);
    kept.keep('key', await kept.moment(1n), representation);
    expect([kept.bytes, await kept.find('key', 1n)]).toEqual([0, undefined]);
  });

  test('are gone after a change in their workspace, and stay after one elsewhere', async () => {
    await using app = await openTestApp();
    await app.database.write('createWorkspace', { name: 'other', now: 0 });
    const kept = createKeptAnswers(app.database, 100_000);
    kept.keep('key', await kept.moment(1n), representation);
    const pet = { name: 'Rex', categoryId: 1n };
    await app.database.write('createPet', { workspaceId: 2n, pet });
    expect(await kept.find('key', 1n)).toBe(representation);
    await app.database.write('createPet', { workspaceId: 1n, pet });
    expect(await kept.find('key', 1n)).toBeUndefined();
    expect(kept.bytes).toBe(0);
  });

  test('are one for a page, in however many ways and of whichever host it is asked for', async () => {
    await using app = await openTestApp();
    await app.createWorkspacePets(30);
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
    expect([app.kept.count, app.kept.misses]).toEqual([1, 1]);
    for (let index = 0; index < 3000; index += 1) await app.send(`/v1/pets?x=${index}`);
    expect([app.kept.count, app.kept.misses]).toEqual([1, 1]);
  });

  test('are not made of the pages that a client walks through', () => {
    expect(listPets.keeps?.({ limit: 20, cursor: 'MS4x' })).toBe(false);
    expect(listPets.keeps?.({ limit: 20, id: [1n] })).toBe(false);
    expect(listPets.keeps?.({ limit: 20, status: 'sold' })).toBe(true);
  });
});
