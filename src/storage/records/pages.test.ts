import { expect, test } from 'bun:test';
import { join } from 'node:path';
import fc from 'fast-check';
import { makeTemporaryFolder } from '../../../test/support/temporary-folder.ts';
import { background } from '../../context/context.ts';
import { petStatuses } from '../../domain/pet.ts';
import { openReaderConnection } from '../../sqlite/connection.ts';
import { openSqliteDatabase } from '../../sqlite/database.ts';
import { createQueryable } from '../../sqlite/queryable.ts';
import { selectPage } from './pages.ts';
import { petPages } from './pets.ts';

test('a page has the matching records after its position, in its order, and one more if another page follows', async () => {
  using folder = makeTemporaryFolder();
  const path = join(folder.path, 'test.db');
  await using database = await openSqliteDatabase({ path, asServer: false, now: Date.now });
  const pets = Array.from({ length: 60 }, (_, index) => ({
    name: 'Rex',
    categoryId: BigInt((index * 7) % 4),
    status: petStatuses[(index * 5) % 3],
  }));
  await database.write(background, 'createPets', { workspaceId: 1n, pets });
  await database.write(background, 'createWorkspace', { name: 'other', now: 0 });
  await database.write(background, 'createPets', { workspaceId: 2n, pets });
  using connection = openReaderConnection(path);
  const queryable = createQueryable(connection);

  const id = fc.bigInt({ min: 0n, max: 62n });
  const category = fc.bigInt({ min: -1n, max: 4n });
  const optional = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined });
  const property = fc.asyncProperty(
    fc.constantFrom('id' as const, '-id' as const),
    fc.integer({ min: 1, max: 70 }),
    optional(id),
    optional(fc.constantFrom(...petStatuses)),
    optional(fc.uniqueArray(category, { minLength: 1, maxLength: 4 })),
    optional(fc.uniqueArray(id, { maxLength: 30 })),
    async (sort, limit, afterId, status, parents, ids) => {
      const request = { limit, afterId };
      const page = await selectPage(queryable, petPages[sort], 1n, request, {
        ...{ status, parents, ids },
      });
      const all = pets.map((pet, index) => ({ ...pet, id: BigInt(index + 1) }));
      const expected = (sort === 'id' ? all : all.toReversed())
        .filter(
          (pet) => afterId === undefined || (sort === 'id' ? pet.id > afterId : pet.id < afterId),
        )
        .filter((pet) => status === undefined || pet.status === status)
        .filter((pet) => parents?.includes(pet.categoryId) ?? true)
        .filter((pet) => ids?.includes(pet.id) ?? true)
        .slice(0, limit + 1);
      expect(page.map((pet) => pet.id)).toEqual(expected.map((pet) => pet.id));
    },
  );
  await fc.assert(property, { numRuns: 500 });
});
