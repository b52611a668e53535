import { renameSync, rmSync } from 'node:fs';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import { compareAnswers, countAcknowledged, seconds, type Told } from './compare-answers.ts';
import type { Fault, FaultOptions, FaultOutcome } from './fault.ts';
import { loadOf, sqliteDataIn } from './sqlite-rig.ts';

const roundsEveryDay = 3;
const roundsOnDemand = 50;
const noticeMillisecondsMax = 1000;
const endMillisecondsMax = 10_000;

interface Way {
  readonly lose: (path: string) => void;
  /** Brings back what can be; undefined where nothing can. */
  readonly bringBack?: (path: string) => void;
}

const ways: readonly Way[] = [
  { lose: (path) => rmSync(path) },
  {
    lose: (path) => renameSync(path, `${path}.moved`),
    bringBack(path) {
      // Without the log, which whoever moves a file leaves behind.
      rmSync(`${path}-wal`, { force: true });
      renameSync(`${path}.moved`, path);
    },
  },
  { lose: (path) => rmSync(`${path}-wal`), bringBack: () => {} },
  { lose: (path) => rmSync(`${path}-shm`), bringBack: () => {} },
];

export const fileLost: Fault = {
  name: 'file-lost',
  title:
    'file of data removed or moved away under a server, or its log or the index of its log removed',
  promise:
    'Within 1 s no write is acknowledged any more, and the server ends with 1. Where the file is left, by whichever name, all that was acknowledged is in it.',
  run,
};

async function run({ long }: FaultOptions): Promise<FaultOutcome> {
  const rounds = long ? roundsOnDemand : roundsEveryDay;
  const broken = new Set<string>();
  const told: Told[] = [];
  let longestNotice = 0;
  for (const { lose, bringBack } of ways) {
    for (let round = 0; round < rounds; round += 1) {
      using folder = makeTemporaryFolder();
      const store = sqliteDataIn(folder.path);
      await using server = await store.start();
      const load = loadOf(server, 16, 1, 'Pet');
      await Bun.sleep(300 + (round % 10) * 50);
      const lostAt = performance.now();
      lose(store.path);
      const code = await Promise.race([server.ended, Bun.sleep(endMillisecondsMax)]);
      if (code !== 1) broken.add(`the server ended with ${code ?? 'nothing, and went on'}`);
      await server.stop('SIGKILL');
      const { lastCreatedAt } = await load.stop();
      longestNotice = Math.max(longestNotice, lastCreatedAt - lostAt);
      if (bringBack === undefined) continue;
      bringBack(store.path);
      told.push(load);
      for (const line of compareAnswers([load], store.readAnimals())) broken.add(line);
    }
  }
  return {
    figures: [
      `${ways.length * rounds} times, the last 201 after ${seconds(longestNotice)}`,
      `${countAcknowledged(told)} acknowledged where the file is left, ${broken.size === 0 ? 'none lost' : [...broken].join(', ')}`,
    ],
    broken: [...broken],
    late:
      longestNotice > noticeMillisecondsMax
        ? [`a write was acknowledged ${seconds(longestNotice)} after the file was lost`]
        : [],
  };
}
