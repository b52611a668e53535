import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type Child, startChild } from './children.ts';
import { animalStoreDialect as dialect } from './dialects.ts';
import type { BackupResult, BackupRound, PacedWrites } from './result.ts';
import { newPetBody } from './scenarios.ts';
import { startAnimalStore } from './servers/animal-store.ts';
import type { RunningServer } from './servers/running-server.ts';
import { fillDatabase } from './test-animals.ts';
import type { Workbench } from './workbench.ts';
import { type Load, readOutcome, startLoad } from './wrk.ts';

const connections = 64;

/** With these rests, and a millisecond or so for each answer, they write 5000 times a second. */
const restMilliseconds = 11;

/** Longer than any backup takes. The load is stopped once it is over. */
const secondsMax = 600;

const mainPath = join(import.meta.dir, '../src/main.ts');

/** How long writes wait while a backup of many animals is made, and for as long without one, in turns. */
export async function measureBackup(workbench: Workbench): Promise<BackupResult> {
  const animals = Math.max(...workbench.pace.growthAnimals);
  const folder = mkdtempSync(join(workbench.folder, 'backup-'));
  const path = join(folder, 'animals.db');
  await fillDatabase(workbench, `sqlite:${path}`, animals);
  workbench.tick();
  await using server = await startAnimalStore(workbench, { databaseUrl: `sqlite:${path}` });
  const rounds: BackupRound[] = [];
  for (let round = 0; round < workbench.pace.rounds; round += 1) {
    rounds.push(await measureBackupRound(workbench, server, path));
    workbench.tick();
  }
  rmSync(folder, { recursive: true });
  return { animals, rounds };
}

/** How many rounds that is, for the progress bar. */
export function backupTicks({ rounds }: Workbench['pace']): number {
  return 1 + rounds;
}

async function measureBackupRound(
  workbench: Workbench,
  server: RunningServer,
  path: string,
): Promise<BackupRound> {
  const backup = `${path}-backup`;
  let logBytesMax = 0;
  const watch = setInterval(() => {
    logBytesMax = Math.max(logBytesMax, statSync(`${path}-wal`).size);
  }, 20);
  let seconds = 0;
  const withBackup = await writeMeanwhile(workbench, server, async () => {
    const startedAt = performance.now();
    await endWell(
      startChild([process.execPath, mainPath, 'backup', backup], {
        cores: workbench.pinning.both,
        env: { DATABASE_URL: `sqlite:${path}` },
      }),
    );
    seconds = (performance.now() - startedAt) / 1000;
  });
  clearInterval(watch);
  const backupBytes = statSync(backup).size;
  for (const file of [backup, `${backup}.json`]) rmSync(file);
  const withoutBackup = await writeMeanwhile(workbench, server, () => Bun.sleep(seconds * 1000));
  return { seconds, backupBytes, logBytesMax, withBackup, withoutBackup };
}

/** The writes from a second before something begins to a second after it has ended. */
async function writeMeanwhile(
  { pinning }: Workbench,
  { origin, headers }: RunningServer,
  run: () => Promise<void>,
): Promise<PacedWrites> {
  const load: Load = {
    kind: 'paced',
    path: dialect.collection,
    body: newPetBody,
    restMilliseconds,
  };
  const cores = pinning.load;
  const options = { origin, headers, load, connections, seconds: secondsMax, cores, seed: 1 };
  await using writing = startLoad(options);
  await Bun.sleep(1000);
  await run();
  await Bun.sleep(1000);
  await writing.stop('SIGINT');
  const outcome = await readOutcome(writing, options);
  return {
    writesPerSecond: (outcome.requests / outcome.durationMicroseconds) * 1_000_000,
    latencyP50Microseconds: outcome.latencyP50Microseconds,
    latencyP99Microseconds: outcome.latencyP99Microseconds,
    latencyMaxMicroseconds: outcome.latencyMaxMicroseconds,
    failedRequests: outcome.failedRequests,
  };
}

async function endWell(child: Child): Promise<void> {
  const exitCode = await child.exited;
  if (exitCode !== 0)
    throw new Error(`The backup ended with ${exitCode}: ${child.output().stderr}`);
}
