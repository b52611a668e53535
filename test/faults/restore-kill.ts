import { Database as Connection } from 'bun:sqlite';
import { copyFileSync, existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { runProgram } from '../support/server-process.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import { onSqlite, type SqliteDatabase } from './databases.ts';
import { runKilled } from './kill-points.ts';
import type { LongTest, TestOptions, TestOutcome } from './long-test.ts';
import { createIoFaults, missingForPreload } from './preload.ts';
import { addAnimal } from './requests.ts';

/** Sizes of two backups that are restored in turns: files that one restore left must not get into the other. */
const animalsInBackups = [2000, 2500] as const;
const animalsSince = 20;
const idGap = 5000;

export const restoreKill: LongTest = {
  name: 'restore-kill',
  title:
    'restore killed (SIGKILL) before each of its steps on disk, over a database with a log and without a database',
  isPatient: true,
  missing: missingForPreload,
  run: (options) => onSqlite((database) => run(options, database)),
};

/** What the path holds: the old database, the restored one, none, or a state that must never exist. */
type State = 'old' | 'restored' | 'none' | string;

async function run({ long }: TestOptions, database: SqliteDatabase): Promise<TestOutcome> {
  using tools = makeTemporaryFolder();
  const faults = createIoFaults(tools.path);
  const { path, url } = database;
  const env = { DATABASE_URL: url };
  const backups: string[] = [];
  let animals = 0;
  for (const count of animalsInBackups) {
    const backup = join(tools.path, `${count}.db`);
    await runProgram(['demo', '--animals', String(count - animals)], env);
    await runProgram(['backup', backup], env);
    backups.push(backup);
    animals = count;
  }
  await addSince(database);
  const old = ['', '-wal', '.life'].map(
    (suffix) => [`${path}${suffix}`, `${path}-old${suffix}`] as const,
  );
  for (const [from, to] of old) copyFileSync(from, to);

  const broken = new Set<string>();
  const seen: Record<string, number> = {};
  let kills = 0;
  for (const before of ['old', 'none'] as const) {
    const reset = () => {
      for (const suffix of ['', '-wal', '-shm', '-journal', '.life'])
        rmSync(path + suffix, { force: true });
      if (before === 'old') for (const [to, from] of old) copyFileSync(from, to);
    };
    reset();
    const commandOf = (run: number) => {
      const backup = backups[run % backups.length] ?? '';
      return ['restore', backup, '--id-gap', String(idGap)];
    };
    const result = await runKilled(commandOf, { faults, env, long }, () => {
      const state = readState(path, before);
      seen[state] = (seen[state] ?? 0) + 1;
      if (state !== before && state !== 'restored') broken.add(`the database is ${state}`);
      reset();
    });
    kills += result.kills;
    if (result.failure !== undefined) broken.add(`a restore after a kill: ${result.failure}`);
    for (const command of [commandOf(0), ['verify']]) {
      const { exitCode, stderr } = await runProgram(command, env);
      if (exitCode !== 0) broken.add(`${command[0]} at the end: ${stderr.trim()}`);
    }
  }
  const states = Object.entries(seen).map(([state, times]) => `${times} times ${state}`);
  return {
    figures: [
      `${Object.values(seen).reduce((sum, times) => sum + times, 0)} restores, ${kills} of them killed`,
      `then ${states.join(', ')}`,
      [...broken].join(', ') || 'never a mixture',
    ],
    broken: [...broken],
  };
}

/** Adds animals that no backup has. The kill leaves them in the log. */
async function addSince(database: SqliteDatabase): Promise<void> {
  await using server = await database.start();
  for (let count = 0; count < animalsSince; count += 1) await addAnimal(server.origin, 'Since');
  await server.stop('SIGKILL');
}

function readState(path: string, before: 'old' | 'none'): State {
  if (!existsSync(path)) return 'none';
  try {
    using connection = new Connection(path, { readwrite: true });
    const [check] = connection.query<[string], []>('PRAGMA integrity_check').values();
    if (check?.[0] !== 'ok') return 'damaged';
    const [row] = connection
      .query(`SELECT count(*), coalesce(sum(name = 'Since'), 0),
        (SELECT next_pet_id FROM workspaces WHERE id = 1) FROM pets`)
      .values();
    const [count = 0, since = 0, nextId = 0] = (row ?? []).map(Number);
    const animalsInOld = animalsInBackups[1] + animalsSince;
    const nextIdMin = before === 'old' ? animalsInOld + 1 : count + idGap + 1;
    if (nextId < nextIdMin) return `one that assigns id ${nextId} again`;
    if (animalsInBackups.some((inBackup) => inBackup === count) && since === 0) return 'restored';
    if (count === animalsInOld && since === animalsSince) return 'old';
    return `one of ${count} animals, ${since} of them new`;
  } catch (error) {
    return `unreadable: ${error instanceof Error ? error.message : error}`;
  }
}
