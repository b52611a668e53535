import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { runProgram } from '../support/server-process.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import { compareAnswers, countAcknowledged } from './compare-answers.ts';
import type { Fault, FaultOptions, FaultOutcome } from './fault.ts';
import { buildIoErrorLibrary, missingForIoErrors } from './io-errors.ts';
import { runKilled } from './kill-points.ts';
import { loadOf, sqliteDataIn } from './sqlite-rig.ts';

/** Some MiB, so that there are several pieces. */
const animals = '20000';

export const backupKill: Fault = {
  name: 'backup-kill',
  title: 'backup killed (SIGKILL) before each of its steps on disk, while a server writes',
  promise:
    'A file of the backup’s name is whole and verified, the next backup to that name works, and the store is untouched.',
  missing: missingForIoErrors,
  run,
};

async function run({ long }: FaultOptions): Promise<FaultOutcome> {
  using tools = makeTemporaryFolder();
  const library = buildIoErrorLibrary(tools.path);
  using folder = makeTemporaryFolder();
  const store = sqliteDataIn(folder.path);
  const env = { DATABASE_URL: `sqlite:${store.path}` };
  await runProgram(['demo', '--animals', animals], env);
  const demo = store.readAnimals().map(({ name }) => name);
  const backup = join(folder.path, 'backup.db');
  const broken = new Set<string>();
  let named = 0;
  await using server = await store.start();
  // So few that the data grows by less in a run than is copied between two flushes: else the kills never come to an end.
  const load = loadOf(server, 1, 0, 'During');

  async function check(): Promise<void> {
    if (!existsSync(backup)) return;
    named += 1;
    const { exitCode, stderr } = await runProgram(['restore', backup], {
      DATABASE_URL: `sqlite:${join(tools.path, 'restored.db')}`,
    });
    if (exitCode !== 0) broken.add(`a file of the backup’s name cannot be restored: ${stderr}`);
    for (const path of [backup, `${backup}.json`]) rmSync(path, { force: true });
  }

  const { kills, failure } = await runKilled(
    () => ['backup', backup],
    { library, env, long },
    check,
  );
  if (failure !== undefined) broken.add(`a backup after a kill: ${failure}`);
  await load.stop();
  await server.stop('SIGTERM');
  const stored = store.readAnimals();
  if (demo.some((name, index) => stored[index]?.name !== name)) broken.add('the store has changed');
  for (const line of compareAnswers([load], stored.slice(demo.length))) broken.add(line);
  return {
    figures: [
      `${kills} kills, ${named} files of the name, ${broken.size === 0 ? 'all whole' : [...broken].join(', ')}`,
      `${countAcknowledged([load])} acknowledged meanwhile, none lost`,
    ],
    broken: [...broken],
  };
}
