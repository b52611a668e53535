import { expect, test } from 'bun:test';
import { AnimalStoreError } from '../client/src/error.ts';
import { createAdding } from '../console/src/api/adding.ts';

/** A service that creates records by key, and loses the answers of its first attempts. */
function openService(lostCount: number, code = 'connection_failed') {
  const byKey = new Map<string, { id: number; name: string }>();
  const records = new Map<number, string>();
  let lost = 0;
  const add = createAdding<string, { id: number; name: string }>();
  return {
    names: () => [...records.values()],
    add: (name: string, key: string) =>
      add(name, key, {
        async create(sent, idempotencyKey) {
          const known = byKey.get(idempotencyKey);
          const isRefused = code !== 'connection_failed' && lost < lostCount;
          const created = known ?? { id: records.size + 1, name: sent };
          if (known === undefined && !isRefused) {
            byKey.set(idempotencyKey, created);
            records.set(created.id, sent);
          }
          lost += 1;
          if (lost <= lostCount) throw new AnimalStoreError(code, 'No answer');
          return created;
        },
        async change(created, sent) {
          if (sent === name) return created;
          records.set(created.id, name);
          return { ...created, name };
        },
      }),
  };
}

test('a record whose answer was lost is created once, also if the user corrects it before the next attempt', async () => {
  const { add, names } = openService(2);
  await expect(add('Lunna', 'a')).rejects.toThrow('No answer');
  await expect(add('Lunaa', 'b')).rejects.toThrow('No answer');
  expect(await add('Luna', 'c')).toEqual({ id: 1, name: 'Luna' });
  expect(names()).toEqual(['Luna']);
  // The next record of the form is another one.
  expect(await add('Rex', 'd')).toEqual({ id: 2, name: 'Rex' });
});

test('a record that was refused is sent as it is corrected', async () => {
  const { add, names } = openService(1, 'invalid_body');
  await expect(add('', 'a')).rejects.toThrow('No answer');
  expect(await add('Luna', 'b')).toEqual({ id: 1, name: 'Luna' });
  expect(names()).toEqual(['Luna']);
});

test('a refusal that is said in other words is a refusal', async () => {
  const add = createAdding<string, string>();
  const sent: string[] = [];
  const send = (name: string) =>
    add(name, name, {
      async create(value) {
        sent.push(value);
        if (value === 'Rex') return value;
        const cause = new AnimalStoreError('precondition_failed', 'Taken');
        throw new Error('The number is taken', { cause });
      },
      change: async (created) => created,
    });
  await expect(send('Tom')).rejects.toThrow('The number is taken');
  await send('Rex');
  expect(sent).toEqual(['Tom', 'Rex']);
});
