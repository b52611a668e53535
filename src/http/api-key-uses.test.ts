import { expect, test } from 'bun:test';
import { openTestApp } from '../../test/support/test-app.ts';
import { createApiKeyUses } from './api-key-uses.ts';

test('what could not be written is written the next time, with what came since', async () => {
  await using app = await openTestApp();
  let isFull = true;
  const uses = createApiKeyUses({
    ...app.database,
    write: (name, input) =>
      isFull ? Promise.reject(new Error('disk full')) : app.database.write(name, input),
  });
  const minute = 60_000;
  uses.note(1n, 5 * minute + 1);
  await expect(uses.flush()).rejects.toThrow('disk full');
  uses.note(1n, 3 * minute);
  isFull = false;
  await uses.flush();
  const [apiKey] = await app.database.listApiKeys();
  expect(apiKey?.lastUsedAt).toBe(5 * minute);
});
