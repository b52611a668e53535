import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { runProgram } from '../support/server-process.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import { compareAnswers } from './compare-answers.ts';
import { onSqlite, type SqliteDatabase } from './databases.ts';
import { acknowledgedFigure } from './figures.ts';
import { runKilled } from './kill-points.ts';
import { startLoad } from './load.ts';
import type { LongTest, TestOptions, TestOutcome } from './long-test.ts';
import { createIoFaults, missingForPreload } from './preload.ts';

/** Some MiB, which are copied in several pieces. */
const animals = '20000';

export const backupKill: LongTest = {
  name: 'backup-kill',
  title: 'backup killed (SIGKILL) before each of its steps on disk, during writes',
  isPatient: true,
  missing: missingForPreload,
  run: (options) => onSqlite((database) => run(options, database)),
};

async function run({ long }: TestOptions, database: SqliteDatabase): Promise<TestOutcome> {
  using tools = makeTemporaryFolder();
  const faults = createIoFaults(tools.path);
  const env = { DATABASE_URL: database.url };
  await runProgram(['demo', '--animals', animals], env);
  const demo = database.readAnimals().map(({ name }) => name);
  const backup = join(tools.path, 'backup.db');
  const broken = new Set<string>();
  let named = 0;
  await using server = await database.start();
  // One writer, so that a run copies faster than the data grows. Otherwise the kills would never end.
  const load = startLoad(server, 1, 0, 'During');

  async function check(): Promise<void> {
    if (!existsSync(backup)) return;
    named += 1;
    const { exitCode, stderr } = await runProgram(['restore', backup], {
      DATABASE_URL: `sqlite:${join(tools.path, 'restored.db')}`,
    });
    if (exitCode !== 0) broken.add(`the backup cannot be restored: ${stderr}`);
    for (const path of [backup, `${backup}.json`]) rmSync(path, { force: true });
  }

  const { kills, failure } = await runKilled(
    () => ['backup', backup],
    { faults, env, long },
    check,
  );
  if (failure !== undefined) broken.add(`a backup after a kill: ${failure}`);
  await load.stop();
  await server.stop('SIGTERM');
  const stored = database.readAnimals();
  if (demo.some((name, index) => stored[index]?.name !== name)) {
    broken.add('the database has changed');
  }
  const wrong = compareAnswers([load], stored.slice(demo.length));
  return {
    figures: [
      `${kills} kills, ${named} files with the name, ${[...broken].join(', ') || 'all complete'}`,
      acknowledgedFigure([load], wrong, ' at the same time'),
    ],
    broken: [...broken, ...wrong],
  };
}
