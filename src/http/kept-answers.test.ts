import { describe, expect, test } from 'bun:test';
import { openTestApp } from '../../test/support/test-app.ts';
import { createKeptAnswers } from './kept-answers.ts';
import { listPets } from './operations/list-pets.ts';
import { represent } from './representation.ts';

const body = 'x'.repeat(10_000);
const representation = represent({ httpStatus: 200, headers: {}, body }, true);

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

  test('are not made of the pages that a client walks through', () => {
    expect(listPets.keeps?.({ limit: 20, cursor: 'MS4x' })).toBe(false);
    expect(listPets.keeps?.({ limit: 20, id: [1n] })).toBe(false);
    expect(listPets.keeps?.({ limit: 20, status: 'sold' })).toBe(true);
  });
});
