import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runProgram, spawnProgram } from '../support/server-process.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import { onSqlite, type SqliteDatabase } from './databases.ts';
import { linesOf } from './figures.ts';
import type { LongTest, TestOptions, TestOutcome } from './long-test.ts';
import { createIoFaults, missingForPreload, turns } from './preload.ts';

export const restoreCommands: LongTest = {
  name: 'restore-key-creation',
  title: 'restore stopped (SIGSTOP) before each of its steps on disk, and a key created until then',
  isPatient: true,
  missing: missingForPreload,
  run: (options) => onSqlite((database) => run(options, database)),
};

interface CreatedKey {
  readonly id: number;
  readonly lastFour: string;
}

async function run({ long }: TestOptions, { url }: SqliteDatabase): Promise<TestOutcome> {
  using tools = makeTemporaryFolder();
  const faults = createIoFaults(tools.path);
  const env = { DATABASE_URL: url };
  const backup = join(tools.path, 'backup.db');
  await createKey(env);
  await runProgram(['backup', backup], env);
  const broken = new Set<string>();
  let steps = 0;
  let refusals = 0;
  for (let at = 1; ; at += long ? 1 : 3) {
    // The new key leaves a log beside the file.
    await createKey(env);
    const fault = faults.env({ at, calls: turns, effect: 'STOPS' });
    const restore = spawnProgram(['restore', backup], { ...env, ...fault });
    while (restore.exitCode === null && !(faults.wasReached() && isStopped(restore.pid))) {
      await Bun.sleep(2);
    }
    const wasStopped = restore.exitCode === null;
    const created = wasStopped ? await createKey(env) : undefined;
    restore.kill('SIGCONT');
    if ((await restore.exited) !== 0) broken.add(await new Response(restore.stderr).text());
    if (!wasStopped) break;
    steps += 1;
    if (created === undefined) refusals += 1;
    else for (const line of await checkKey(env, created)) broken.add(line);
  }
  if (steps === 0) broken.add('the restore was stopped at no step');
  const verified = await runProgram(['verify'], env);
  if (verified.exitCode !== 0) broken.add(verified.stderr.trim());
  return {
    figures: [
      `${steps} steps, at ${refusals} of them the key was refused`,
      [...broken].join(', ') || 'no key was lost',
    ],
    broken: [...broken],
  };
}

function isStopped(pid: number): boolean {
  return /^State:\s+T/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
}

/** Returns undefined if the key was refused. */
async function createKey(env: Record<string, string>): Promise<CreatedKey | undefined> {
  const { exitCode, stdout } = await runProgram(['keys', 'create', '--name', 'a', '--json'], env);
  return exitCode === 0 ? (JSON.parse(stdout) as CreatedKey) : undefined;
}

async function checkKey(
  env: Record<string, string>,
  { id, lastFour }: CreatedKey,
): Promise<string[]> {
  const { stdout } = await runProgram(['audit', '--all', '--json'], env);
  const entries = JSON.parse(stdout) as { details: Partial<CreatedKey> }[];
  const next = await createKey(env);
  const isListed = entries.some(({ details }) => details.lastFour === lastFour);
  return linesOf(
    !isListed && 'a key is missing in the audit trail',
    (next === undefined || next.id <= id) && `after key ${id} came key ${next?.id}`,
  );
}
