import { compareAnswers } from './compare-answers.ts';
import { onSqlite, type SqliteDatabase } from './databases.ts';
import { acknowledgedFigure, overLimits, seconds } from './figures.ts';
import { type Load, startLoad } from './load.ts';
import type { LongTest, TestOptions, TestOutcome } from './long-test.ts';

const roundsEveryDay = 100;
const roundsOnDemand = 1000;
const stopMillisecondsMax = 10_000;

export const stop: LongTest = {
  name: 'server-stop',
  title: 'server stopped (SIGTERM) under load and started again',
  promise:
    'Each accepted request gets a complete answer, and other requests are refused. The server ends with exit code 0 within 10 s.',
  run: (options) => onSqlite((database) => run(options, database)),
};

async function run({ long }: TestOptions, database: SqliteDatabase): Promise<TestOutcome> {
  const rounds = long ? roundsOnDemand : roundsEveryDay;
  const answers: Load[] = [];
  const broken = new Set<string>();
  let longestStop = 0;
  for (let round = 0; round < rounds; round += 1) {
    await using server = await database.start();
    const load = startLoad(server, 16, 4, `Round ${round}`);
    answers.push(load);
    await Bun.sleep(20 + (round % 10) * 5);
    const before = performance.now();
    const ended = server.stop('SIGTERM');
    const stopped = load.stop();
    const code = await ended;
    longestStop = Math.max(longestStop, performance.now() - before);
    await stopped;
    if (code !== 0) broken.add(`a server ended with ${code}`);
  }
  const stored = database.readAnimals();
  const names = new Set(stored.map(({ name }) => name));
  // If an animal is stored and its client got no answer, the answer was cut off.
  const cut = answers.flatMap(({ unknown }) => [...unknown]).filter((name) => names.has(name));
  if (cut.length > 0) broken.add(`${cut.length} answers were cut off`);
  const wrong = compareAnswers(answers, stored);
  return {
    figures: [
      `${rounds} stops`,
      acknowledgedFigure(answers, wrong),
      `${cut.length} answers cut off`,
      `ended within ${seconds(longestStop)}`,
    ],
    broken: [...broken, ...wrong],
    late: overLimits(['a stop took', longestStop, stopMillisecondsMax]),
  };
}
