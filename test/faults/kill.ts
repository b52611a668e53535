import { compareAnswers } from './compare-answers.ts';
import { onPostgres, onSqlite, type TestDatabase } from './databases.ts';
import { acknowledgedFigure, overLimits, seconds } from './figures.ts';
import { type Load, startLoad } from './load.ts';
import type { LongTest, TestOptions, TestOutcome } from './long-test.ts';

const roundsEveryDay = 100;
const roundsOnDemand = 2000;
const readyMillisecondsMax = 2000;

const promise =
  'No acknowledged animal is lost or stored twice, no id is assigned twice, each animal has one event, and the server is ' +
  'ready again within 2 s.';

export const kills: readonly LongTest[] = [
  {
    name: 'server-kill-sqlite',
    title: 'server on SQLite killed (SIGKILL) during writes and started again',
    promise,
    run: (options) => onSqlite((database) => run(options, database)),
  },
  {
    name: 'server-kill-postgres',
    title: 'server on PostgreSQL killed (SIGKILL) during writes and started again',
    promise,
    run: (options) => onPostgres((database) => run(options, database)),
  },
];

async function run({ long }: TestOptions, database: TestDatabase): Promise<TestOutcome> {
  const rounds = long ? roundsOnDemand : roundsEveryDay;
  const answers: Load[] = [];
  let longestStart = 0;
  for (let round = 0; round < rounds; round += 1) {
    const before = performance.now();
    await using server = await database.start();
    longestStart = Math.max(longestStart, performance.now() - before);
    const load = startLoad(server, 16, 1, `Round ${round}`);
    answers.push(load);
    // Kills between the first write and one after thousands.
    await Bun.sleep((round % 20) * 5);
    const stopped = load.stop();
    await server.stop('SIGKILL');
    await stopped;
  }
  const broken = compareAnswers(answers, await database.readAnimals());
  return {
    figures: [
      `${rounds} kills`,
      acknowledgedFigure(answers, broken),
      `ready again within ${seconds(longestStart)}`,
    ],
    broken,
    late: overLimits(['a start took', longestStart, readyMillisecondsMax]),
  };
}
