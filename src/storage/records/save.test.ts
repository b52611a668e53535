import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { makeTemporaryFolder } from '../../../test/support/temporary-folder.ts';
import { background } from '../../context/context.ts';
import type { Pet } from '../../domain/pet.ts';
import { openWritableConnection } from '../../sqlite/connection.ts';
import { openSqliteDatabase } from '../../sqlite/database.ts';
import { createTransact } from '../../sqlite/transaction.ts';
import { petKind } from './pets.ts';
import { newId, type RecordChange } from './record-kind.ts';
import { saveRecords } from './save.ts';

const origin = { requestId: 'request', actor: 'owner', now: 1000 } as const;

function pet(id: bigint, name: string, status: Pet['status'] = 'available'): Pet {
  return { id, name, categoryId: 7n, status };
}

const added = (name: string, status?: Pet['status']) => ({
  after: pet(newId, name, status),
  origin,
});

/** A file with one workspace. */
async function openFile() {
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(makeTemporaryFolder());
  const path = join(folder.path, 'test.db');
  const database = stack.use(await openSqliteDatabase({ path, asServer: false, now: Date.now }));
  const connection = stack.adopt(openWritableConnection(path), (each) => each.close());
  const transact = createTransact(connection);
  const owned = stack.move();
  return {
    save: (
      changes: readonly RecordChange<Pet>[],
      { workspaceId = 1n, ...options }: { workspaceId?: bigint; takenIds?: number } = {},
    ) =>
      transact((transaction) => saveRecords(transaction, workspaceId, petKind, changes, options)),
    async read() {
      const { items } = await database.readPetPage(background, 1n, { limit: 100, sort: 'id' });
      const found = await database.readEvents(background, 1n, { after: 0, limit: 100 });
      if (found === undefined || 'expired' in found) throw new Error('The feed has expired');
      const events = found.events.map(({ json }) => {
        const { sequence, type, data, previous } = JSON.parse(json);
        return [sequence, type, data.id, previous];
      });
      return { items, events, counts: await database.readInventory(background, 1n) };
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

describe('saved changes', () => {
  test('of one group have ids, counts and events without a gap, in their order', async () => {
    await using file = await openFile();
    const saved = await file.save([added('Rex'), added('Tom', 'sold'), added('Mia', 'sold')]);
    expect(saved?.map((each) => each?.id)).toEqual([1n, 2n, 3n]);
    await file.save([added('Ida', 'pending')]);
    const { items, events, counts } = await file.read();
    expect(items.map(({ id, name }) => [id, name])).toEqual([
      [1n, 'Rex'],
      [2n, 'Tom'],
      [3n, 'Mia'],
      [4n, 'Ida'],
    ]);
    expect(counts).toEqual({ available: 1, pending: 1, sold: 2 });
    expect(events).toEqual([1, 2, 3, 4].map((id) => [id, 'pet.created', id, undefined]));
  });

  test('of one record leave the last one, an event for each, and counts as if they were saved one by one', async () => {
    await using file = await openFile();
    await file.save([added('Rex'), added('Tom')]);
    const [rex, max, sold] = [pet(1n, 'Rex'), pet(1n, 'Max'), pet(1n, 'Max', 'sold')];
    await file.save([
      { before: rex, after: max, origin },
      { before: pet(2n, 'Tom'), origin },
      { before: max, after: sold, origin },
    ]);
    const { items, events, counts } = await file.read();
    expect(items).toEqual([sold]);
    expect(counts).toEqual({ available: 0, pending: 0, sold: 1 });
    expect(events.slice(2)).toEqual([
      [3, 'pet.updated', 1, { name: 'Rex' }],
      [4, 'pet.deleted', 2, undefined],
      [5, 'pet.updated', 1, { status: 'available' }],
    ]);
  });

  test('without an origin append no event, and ids that are taken beside the new records are not assigned again', async () => {
    await using file = await openFile();
    await file.save([{ after: pet(newId, 'Rex'), origin: undefined }], { takenIds: 10 });
    const saved = await file.save([added('Tom')]);
    expect(saved?.[0]?.id).toBe(11n);
    expect((await file.read()).events).toEqual([[1, 'pet.created', 11, undefined]]);
  });

  test('of a workspace that does not exist are not saved', async () => {
    await using file = await openFile();
    expect(await file.save([added('Rex')], { workspaceId: 2n })).toBeUndefined();
    expect((await file.read()).items).toEqual([]);
  });
});
