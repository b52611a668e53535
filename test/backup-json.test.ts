import { Database as Connection } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { runProgram } from './support/server-process.ts';
import { makeTemporaryFolder } from './support/temporary-folder.ts';

test('commands for whole databases print JSON for scripts, and nothing else', async () => {
  using folder = makeTemporaryFolder();
  const url = `sqlite:${folder.path}/a.db`;
  const run = async (...args: string[]) => {
    const { exitCode, stdout, stderr } = await runProgram([...args, '--json'], {
      DATABASE_URL: url,
    });
    const result: Record<string, unknown> = { exitCode, stderr, ...JSON.parse(stdout) };
    return result;
  };
  await runProgram(['demo', '--animals', '3'], { DATABASE_URL: url });
  const done = { exitCode: 0, stderr: '' };
  for (const _time of [1, 2]) await run('backup', '--folder', folder.path);
  const made = await run('backup', '--folder', folder.path, '--keep', '1');
  expect(made).toMatchObject({
    ...done,
    animals: 3,
    sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
  });
  expect(made.path).toMatch(/\/\d{4}-.*\.db$/);
  expect(made.removed).toHaveLength(2);
  const path = String(made.path);
  expect(await run('verify', path)).toMatchObject({
    ...done,
    isSound: true,
    hasManifest: true,
    workspaces: [{ name: 'default', animals: 3, nextId: 4 }],
  });
  expect(await run('restore', '--latest', folder.path, '--yes')).toMatchObject({
    exitCode: 0,
    stderr: expect.stringContaining('The newest backup'),
    file: path,
    animals: 3,
    replaced: 'same',
    keptAs: expect.stringContaining('a.db.'),
  });
  const copied = await run('copy', '--from', url, '--to', `sqlite:${join(folder.path, 'b.db')}`);
  expect(copied).toMatchObject({ ...done, isIdentical: true, wasComplete: false });
  {
    using connection = new Connection(join(folder.path, 'b.db'));
    connection.run('DELETE FROM pets WHERE id = 1');
  }
  expect(await run('verify', '--database', `sqlite:${folder.path}/b.db`)).toMatchObject({
    exitCode: 1,
    isSound: false,
    faults: expect.arrayContaining([expect.any(String)]),
    stderr: expect.stringContaining('restore the last good backup'),
  });
});
