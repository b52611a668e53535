import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { runChild } from './children.ts';
import { formatMilliseconds, formatNumber, type Section } from './report.ts';
import { startAnimalStore } from './servers/animal-store.ts';
import { median } from './statistics.ts';
import { animalStoreDialect as dialect } from './subject.ts';
import { fillDatabase } from './test-animals.ts';
import { thisVersion } from './versions.ts';
import type { RunningServer, Workbench } from './workbench.ts';
import { type Load, type LoadOutcome, readOutcome, startLoad } from './wrk.ts';

const connections = 64;

/** With these pauses and about a millisecond for each answer, the connections write 5000 times a second. */
const load: Load = { kind: 'create', paths: [dialect.collection], pauseMilliseconds: 11 };

/** Longer than any backup takes. The load is stopped after the backup. */
const secondsMax = 600;

const tenMillion = 10_000_000;

/** Measures how long writes wait during a backup of many animals, and for the same time without one, in turns. */
export async function measureBackup(workbench: Workbench): Promise<readonly Section[]> {
  const animals = Math.max(...workbench.pace.growthAnimals);
  const folder = mkdtempSync(join(workbench.folder, 'backup-'));
  const path = join(folder, 'animals.db');
  const databaseUrl = `sqlite:${path}`;
  await fillDatabase(workbench, databaseUrl, animals);
  await using server = await startAnimalStore(workbench, { databaseUrl });
  const rounds: (readonly [seconds: number, beside: LoadOutcome, without: LoadOutcome])[] = [];
  for (let round = 0; round < workbench.pace.rounds; round += 1) {
    let seconds = 0;
    const beside = await writeDuring(workbench, server, async () => {
      const startedAt = performance.now();
      await runChild([...thisVersion.command, 'backup', `${path}-backup`], {
        cores: workbench.pinning.both,
        env: { DATABASE_URL: databaseUrl },
      });
      seconds = (performance.now() - startedAt) / 1000;
    });
    for (const file of [`${path}-backup`, `${path}-backup.json`]) rmSync(file);
    const pause = () => Bun.sleep(seconds * 1000);
    rounds.push([seconds, beside, await writeDuring(workbench, server, pause)]);
    workbench.tick();
  }
  rmSync(folder, { recursive: true });
  const milliseconds = (microseconds: number) => formatNumber(microseconds / 1000);
  return [
    {
      title: 'Writes during a backup',
      text:
        `${connections} connections add about 5000 animals a second, with random pauses, to ${formatNumber(animals)} of them, ` +
        'during `animal-store backup`, and then for the same time without it. Each turn is a row.',
      headings: ['Backup, s', 'p99 ms', 'without', 'longest ms', 'without', 'Failed'],
      rows: rounds.map(([seconds, beside, without]) => [
        formatNumber(seconds),
        ...[beside, without].map((outcome) => milliseconds(outcome.p99Microseconds)),
        ...[beside, without].map((outcome) => milliseconds(outcome.longestMicroseconds)),
        `${beside.failedRequests + without.failedRequests}`,
      ]),
      aims: [
        {
          title: 'longest write during a backup of 10 million, above the longest without',
          atMost: 500,
          value: animals === tenMillion ? median(rounds.map(delayOf)) : undefined,
          format: formatMilliseconds,
        },
      ],
    },
  ];
}

function delayOf([, beside, without]: readonly [number, LoadOutcome, LoadOutcome]): number {
  return (beside.longestMicroseconds - without.longestMicroseconds) / 1000;
}

/** Measures the writes from a second before `run` begins to a second after its end. */
async function writeDuring(
  workbench: Workbench,
  server: RunningServer,
  run: () => Promise<unknown>,
): Promise<LoadOutcome> {
  await using writing = startLoad(workbench, server, load, connections, secondsMax);
  await Bun.sleep(1000);
  await run();
  await Bun.sleep(1000);
  await writing.stop('SIGINT');
  return await readOutcome(writing);
}
