import { expect, test } from 'bun:test';
import { existsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { serveBriefly } from '../../../test/support/data-files.ts';
import { makeTemporaryFolder } from '../../../test/support/temporary-folder.ts';
import { vacuumInto } from './vacuum-into.ts';

test('a copy whose file a signal has removed is not made again, for all to read', async () => {
  using folder = makeTemporaryFolder();
  const path = join(folder.path, 'a.db');
  await serveBriefly(path, 1);
  // The characters of a URL belong to the name.
  const target = join(folder.path, 'copy ?mode=rwc#1%20.db');
  expect(await vacuumInto(path, target, {}).catch(String)).toContain('SQLITE_CANTOPEN');
  expect(existsSync(target)).toBe(false);
  writeFileSync(target, '', { mode: 0o600 });
  await vacuumInto(path, target, {});
  const { size, mode } = statSync(target);
  expect([size > 0, mode & 0o777]).toEqual([true, 0o600]);
});

// A process that ends as the last one locks the file while it moves its log into it.
test('a copy waits for a process that locks the file for a moment', async () => {
  using folder = makeTemporaryFolder();
  const path = join(folder.path, 'a.db');
  await serveBriefly(path, 1);
  const script = `
    const connection = new (require('bun:sqlite').Database)(${JSON.stringify(path)});
    connection.run('PRAGMA locking_mode = EXCLUSIVE');
    connection.run('UPDATE pets SET name = name');
    console.log('locked');
    setTimeout(() => connection.close(), 500);`;
  await using locking = Bun.spawn([process.execPath, '-e', script], { stdout: 'pipe' });
  await locking.stdout.getReader().read();
  const target = join(folder.path, 'copy.db');
  writeFileSync(target, '');
  await vacuumInto(path, target, {});
  expect(statSync(target).size).toBeGreaterThan(0);
});
