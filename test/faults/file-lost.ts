import { renameSync, rmSync } from 'node:fs';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import { compareAnswers } from './compare-answers.ts';
import { sqliteDatabaseIn } from './databases.ts';
import { acknowledgedFigure, overLimits, seconds } from './figures.ts';
import { type Load, startLoad } from './load.ts';
import type { LongTest, TestOptions, TestOutcome } from './long-test.ts';

const roundsEveryDay = 3;
const roundsOnDemand = 50;
const noticeMillisecondsMax = 1000;
const endMillisecondsMax = 10_000;

interface Loss {
  readonly lose: (path: string) => void;
  /** Brings the file back. Undefined if that is impossible. */
  readonly bringBack?: (path: string) => void;
}

const losses: readonly Loss[] = [
  { lose: (path) => rmSync(path) },
  {
    lose: (path) => renameSync(path, `${path}.moved`),
    bringBack(path) {
      // An operator moves the file and leaves the log.
      rmSync(`${path}-wal`, { force: true });
      renameSync(`${path}.moved`, path);
    },
  },
  { lose: (path) => rmSync(`${path}-wal`), bringBack: () => {} },
  { lose: (path) => rmSync(`${path}-shm`), bringBack: () => {} },
];

export const fileLost: LongTest = {
  name: 'file-lost',
  title:
    'database file of a running server removed or moved away, or its log or the index of its log removed',
  promise:
    'No write is acknowledged later than 1 s after the loss, and the server ends with exit code 1. If the file still exists, under any name, it has all acknowledged animals.',
  run,
};

async function run({ long }: TestOptions): Promise<TestOutcome> {
  const rounds = long ? roundsOnDemand : roundsEveryDay;
  const broken = new Set<string>();
  const answers: Load[] = [];
  let longestNotice = 0;
  for (const { lose, bringBack } of losses) {
    for (let round = 0; round < rounds; round += 1) {
      using folder = makeTemporaryFolder();
      const database = sqliteDatabaseIn(folder.path);
      await using server = await database.start();
      const load = startLoad(server, 16, 1, 'Pet');
      await Bun.sleep(300 + (round % 10) * 50);
      const lostAt = performance.now();
      lose(database.path);
      const code = await Promise.race([server.ended, Bun.sleep(endMillisecondsMax)]);
      if (code !== 1) broken.add(code === undefined ? 'the server runs' : `exit code ${code}`);
      await server.stop('SIGKILL');
      const { lastCreatedAt } = await load.stop();
      longestNotice = Math.max(longestNotice, lastCreatedAt - lostAt);
      if (bringBack === undefined) continue;
      bringBack(database.path);
      answers.push(load);
      for (const line of compareAnswers([load], database.readAnimals())) broken.add(line);
    }
  }
  return {
    figures: [
      `${losses.length * rounds} times, the last 201 after ${seconds(longestNotice)}`,
      acknowledgedFigure(answers, broken, ' in files that still exist'),
    ],
    broken: [...broken],
    late: overLimits(['the last 201 came after', longestNotice, noticeMillisecondsMax]),
  };
}
