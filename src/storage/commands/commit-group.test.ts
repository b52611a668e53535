import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { makeTemporaryFolder } from '../../../test/support/temporary-folder.ts';
import { background } from '../../context/context.ts';
import { openWritableConnection } from '../../sqlite/connection.ts';
import { openSqliteDatabase } from '../../sqlite/database.ts';
import { createTransact } from '../../sqlite/transaction.ts';
import type { PendingCommand } from '../contract/command-writer.ts';
import type { Transact } from '../queryable.ts';
import { commitGroup } from './commit-group.ts';

/** How often a transaction waits for the database: over a network, each time is a journey. */
function countWaits(transact: Transact) {
  let count = 0;
  const counting: Transact = (run) =>
    transact((transaction) =>
      run({
        ...transaction,
        all: (...call) => {
          count += 1;
          return transaction.all(...call);
        },
        run: (...call) => {
          count += 1;
          return transaction.run(...call);
        },
      }),
    );
  return { transact: counting, count: () => count };
}

test('a burst of changes of every kind waits for the database a few times, not for each of them', async () => {
  using folder = makeTemporaryFolder();
  const path = join(folder.path, 'test.db');
  await using database = await openSqliteDatabase({ path, asServer: false, now: Date.now });
  const pets = Array.from({ length: 200 }, () => ({ name: 'Rex', categoryId: 1n }));
  await database.write(background, 'createPets', { workspaceId: 1n, pets });
  const group = pets.flatMap((_, index): PendingCommand[] => {
    const address = { workspaceId: 1n, id: BigInt(index + 1), precondition: {} };
    const category = { name: 'Dogs' };
    return [
      { name: 'updatePet', input: { ...address, changes: { name: 'Max' } }, key: undefined },
      { name: 'putCategory', input: { ...address, category }, key: undefined },
      { name: 'deleteCategory', input: address, key: undefined },
      { name: 'createCategory', input: { workspaceId: 1n, category }, key: undefined },
      { name: 'deletePet', input: address, key: undefined },
    ];
  });
  using connection = openWritableConnection(path);
  const { transact, count } = countWaits(createTransact(connection));
  const outcomes = await commitGroup(transact, group);
  expect(outcomes.every((outcome) => 'ok' in outcome)).toBe(true);
  expect(count()).toBeLessThan(25);
  expect((await database.readPetPage(background, 1n, { limit: 1 })).items).toEqual([]);
  // All that was put was removed before, so that its ids were free.
  expect((await database.readCategoryPage(background, 1n, { limit: 1 })).items[0]?.id).toBe(200n);
});
