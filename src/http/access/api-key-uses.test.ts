import { expect, test } from 'bun:test';
import { signInAsOwner } from '../../../test/support/console-session.ts';
import { openTestApp } from '../../../test/support/test-app.ts';
import { readApiKeys } from '../../../test/support/whole-lists.ts';
import { background } from '../../context/context.ts';
import { sessionMilliseconds } from '../../domain/access/console-session.ts';
import type { CommandInput } from '../../storage/contract/command-writer.ts';
import { digestToken } from '../console/token.ts';
import { createApiKeyUses } from './api-key-uses.ts';

test('key uses that could not be written are written the next time, with the later ones', async () => {
  await using app = await openTestApp();
  let isFull = true;
  const uses = createApiKeyUses({
    ...app.database,
    write: (context, name, input) =>
      isFull ? Promise.reject(new Error('disk full')) : app.database.write(context, name, input),
  });
  const minute = 60_000;
  const caller = { apiKeyId: 1n, workspaceId: 1n };
  uses.note(caller, 5 * minute + 1);
  await expect(uses.flush()).rejects.toThrow('disk full');
  uses.note(caller, 3 * minute);
  isFull = false;
  await uses.flush();
  const [apiKey] = await readApiKeys(app.database);
  expect(apiKey?.lastUsedAt).toBe(5 * minute);
});

test('a session that could not be continued is continued by the next flush, from its last action', async () => {
  await using app = await openTestApp();
  const page = await signInAsOwner(app);
  let isFull = true;
  const uses = createApiKeyUses({
    ...app.database,
    write: (context, name, input) =>
      isFull ? Promise.reject(new Error('disk full')) : app.database.write(context, name, input),
  });
  const digest = digestToken(page.cookie.replace(/^.*=/, ''));
  const at = (minutes: number) => {
    const lastActiveAt = app.now + minutes * 60_000;
    return { digest, lastActiveAt, expiresAt: lastActiveAt + sessionMilliseconds };
  };
  uses.noteSessionActivity(at(2));
  await expect(uses.flush()).rejects.toThrow('disk full');
  isFull = false;
  uses.noteSessionActivity(at(1));
  await uses.flush();
  expect(await app.database.findConsoleSession(background, digest)).toMatchObject({
    lastActiveAt: at(2).lastActiveAt,
    expiresAt: at(2).expiresAt,
  });
});

test('key uses are written in slices, and failed slices are written the next time', async () => {
  await using app = await openTestApp();
  const keyCount = 1200n;
  const written: bigint[][] = [];
  let failsAt = 1;
  const uses = createApiKeyUses({
    ...app.database,
    write: (context, name, input) => {
      if (written.length === failsAt) return Promise.reject(new Error('disk full'));
      const command = input as CommandInput<'saveApiKeyUses'>;
      written.push(command.uses.map(({ apiKeyId }) => apiKeyId));
      return app.database.write(context, name, input);
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
