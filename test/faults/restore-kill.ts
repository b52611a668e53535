import { Database as Connection } from 'bun:sqlite';
import { copyFileSync, existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { runProgram } from '../support/server-process.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import type { Fault, FaultOptions, FaultOutcome } from './fault.ts';
import { buildIoErrorLibrary, missingForIoErrors } from './io-errors.ts';
import { runKilled } from './kill-points.ts';
import { addOne, type SqliteStore, sqliteDataIn } from './sqlite-rig.ts';

/** Of two backups, which are restored in turn: what one left must not get into the other. */
const animalsInBackups = [2000, 2500] as const;
const animalsSince = 20;
const idGap = 5000;

export const restoreKill: Fault = {
  name: 'restore-kill',
  title:
    'restore killed (SIGKILL) before each of its steps on disk, over a store with a log and where none was',
  promise:
    'The store is wholly the old one or wholly the restored one and sound, no id is given out again, and the next restore works.',
  missing: missingForIoErrors,
  run,
};

/** What there is: the old store, the restored one, none, or something that there should never be. */
type State = 'old' | 'restored' | 'none' | string;

async function run({ long }: FaultOptions): Promise<FaultOutcome> {
  using tools = makeTemporaryFolder();
  const library = buildIoErrorLibrary(tools.path);
  using folder = makeTemporaryFolder();
  const store = sqliteDataIn(folder.path);
  const { path } = store;
  const env = { DATABASE_URL: `sqlite:${path}` };
  const backups: string[] = [];
  let animals = 0;
  for (const count of animalsInBackups) {
    const backup = join(folder.path, `${count}.db`);
    await runProgram(['demo', '--animals', String(count - animals)], env);
    await runProgram(['backup', backup], env);
    backups.push(backup);
    animals = count;
  }
  await addSince(store);
  const old = ['', '-wal'].map((suffix) => [`${path}${suffix}`, `${path}-old${suffix}`] as const);
  for (const [from, to] of old) copyFileSync(from, to);

  const broken = new Set<string>();
  const seen: Record<string, number> = {};
  let kills = 0;
  for (const before of ['old', 'none'] as const) {
    const begin = () => {
      for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(path + suffix, { force: true });
      if (before === 'old') for (const [to, from] of old) copyFileSync(from, to);
    };
    begin();
    const commandOf = (run: number) => {
      const backup = backups[run % backups.length] ?? '';
      return ['restore', backup, '--id-gap', String(idGap)];
    };
    const result = await runKilled(commandOf, { library, env, long }, () => {
      const state = readState(path, before);
      seen[state] = (seen[state] ?? 0) + 1;
      if (state !== before && state !== 'restored') broken.add(`the store is ${state}`);
      begin();
    });
    kills += result.kills;
    if (result.failure !== undefined) broken.add(`a restore after a kill: ${result.failure}`);
    const last = await runProgram(commandOf(0), env);
    if (last.exitCode !== 0) broken.add(`the last restore: ${last.stderr}`);
    const verified = await runProgram(['verify'], env);
    if (verified.exitCode !== 0) broken.add(verified.stderr.trim());
  }
  return {
    figures: [
      `${Object.values(seen).reduce((sum, times) => sum + times, 0)} restores, ${kills} of them killed`,
      `then ${Object.entries(seen)
        .map(([state, times]) => `${times} times ${state}`)
        .join(', ')}`,
      broken.size === 0 ? 'never anything between' : [...broken].join(', '),
    ],
    broken: [...broken],
  };
}

/** Adds animals that the backup does not have, and ends in such a way that they are only in the log. */
async function addSince(store: SqliteStore): Promise<void> {
  await using server = await store.start();
  for (let count = 0; count < animalsSince; count += 1) await addOne(server.origin, 'Since');
  await server.stop('SIGKILL');
}

function readState(path: string, before: 'old' | 'none'): State {
  if (!existsSync(path)) return 'none';
  try {
    using connection = new Connection(path, { readwrite: true });
    const check = connection.query('PRAGMA integrity_check').get() as { integrity_check: string };
    if (check.integrity_check !== 'ok') return 'not sound';
    const { count, since, nextId } = connection
      .query(`SELECT count(*) AS count, coalesce(sum(name = 'Since'), 0) AS since,
        (SELECT next_pet_id FROM workspaces WHERE id = 1) AS nextId FROM pets`)
      .get() as { count: number; since: number; nextId: number };
    const animalsInOld = animalsInBackups[1] + animalsSince;
    const nextIdMin = before === 'old' ? animalsInOld + 1 : count + idGap + 1;
    if (nextId < nextIdMin) return `one that gives out id ${nextId} again`;
    if (animalsInBackups.some((inBackup) => inBackup === count) && since === 0) return 'restored';
    if (count === animalsInOld && since === animalsSince) return 'old';
    return `one of ${count} animals, ${since} of them new`;
  } catch (error) {
    return `not to be read: ${error instanceof Error ? error.message : error}`;
  }
}
