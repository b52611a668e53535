import { expect, test } from 'bun:test';
import { openTestApp } from '../../test/support/test-app.ts';
import type { CommandInput } from '../domain/commands.ts';
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
  const caller = { apiKeyId: 1n, workspaceId: 1n };
  uses.note(caller, 5 * minute + 1);
  await expect(uses.flush()).rejects.toThrow('disk full');
  uses.note(caller, 3 * minute);
  isFull = false;
  await uses.flush();
  const [apiKey] = await app.database.listApiKeys();
  expect(apiKey?.lastUsedAt).toBe(5 * minute);
});

test('the uses of many keys are written in slices, and those that failed are written the next time', async () => {
  await using app = await openTestApp();
  const keyCount = 1200n;
  const written: bigint[][] = [];
  let failsAt = 1;
  const uses = createApiKeyUses({
    ...app.database,
    write: (name, input) => {
      if (written.length === failsAt) return Promise.reject(new Error('disk full'));
      const command = input as CommandInput<'recordApiKeyUses'>;
      written.push(command.uses.map(({ apiKeyId }) => apiKeyId));
      return app.database.write(name, input);
    },
  });
  for (let apiKeyId = 1n; apiKeyId <= keyCount; apiKeyId += 1n) {
    uses.noteDeprecatedCall({ apiKeyId, workspaceId: 1n }, 'getPet', 0);
  }
  expect(await uses.flush().catch(String)).toBe('Error: disk full');
  failsAt = Number.POSITIVE_INFINITY;
  await uses.flush();
  await uses.flush();
  expect(written.map((ids) => ids.length)).toEqual([500, 500, 200]);
  expect(new Set(written.flat()).size).toBe(Number(keyCount));
});
