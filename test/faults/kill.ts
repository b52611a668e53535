import { Database as Connection } from 'bun:sqlite';
import { statSync } from 'node:fs';
import { compareAnswers } from './compare-answers.ts';
import { onPostgres, onSqlite, type TestDatabase } from './databases.ts';
import { acknowledgedFigure, linesOf, overLimits, seconds } from './figures.ts';
import { type Load, startLoad } from './load.ts';
import type { LongTest, TestOptions, TestOutcome } from './long-test.ts';

const roundsEveryDay = 30;
const roundsOnDemand = 2000;
const readyMillisecondsMax = 2000;
const stopMillisecondsMax = 10_000;

export const kills: readonly LongTest[] = [
  {
    name: 'server-kill-sqlite',
    title: 'server on SQLite killed (SIGKILL) during writes and started again',
    run: (options) =>
      onSqlite((database) => run(options, database, 'SIGKILL', () => growLog(database.path))),
  },
  {
    name: 'server-kill-postgres',
    title: 'server on PostgreSQL killed (SIGKILL) during writes and started again',
    run: (options) => onPostgres((database) => run(options, database, 'SIGKILL')),
  },
];

export const stop: LongTest = {
  name: 'server-stop',
  title: 'server stopped (SIGTERM) under load and started again',
  run: (options) => onSqlite((database) => run(options, database, 'SIGTERM')),
};

/** In each of so many rounds, the end comes while the server moves a long log into the file. */
const roundsPerLongRead = 10;

const longLogBytes = 64 * 2 ** 20;

/** Ends a server under load by a signal, and starts the next one, again and again. */
async function run(
  { long }: TestOptions,
  database: TestDatabase,
  signal: 'SIGKILL' | 'SIGTERM',
  startLongRead?: () => LongRead,
): Promise<TestOutcome> {
  const rounds = long ? roundsOnDemand : roundsEveryDay;
  const answers: Load[] = [];
  const codes = new Set<unknown>();
  let longestStart = 0;
  let longestStop = 0;
  for (let round = 0; round < rounds; round += 1) {
    const before = performance.now();
    await using server = await database.start();
    longestStart = Math.max(longestStart, performance.now() - before);
    const isLongRead = round % roundsPerLongRead === roundsPerLongRead - 1;
    const load = startLoad(server, 16, 1, `Round ${round}`);
    answers.push(load);
    if (!isLongRead || startLongRead === undefined) {
      // Ends between the first write and one after thousands.
      await Bun.sleep((round % 20) * 5);
    } else {
      await load.recovered(before);
      const longRead = startLongRead();
      await Bun.sleep(200);
      await longRead.end();
      await Bun.sleep(((round / roundsPerLongRead) % 4) * 2);
    }
    const stopped = load.stop();
    const endsAt = performance.now();
    codes.add(await server.stop(signal));
    longestStop = Math.max(longestStop, performance.now() - endsAt);
    await stopped;
  }
  const stored = await database.readAnimals();
  const names = new Set(stored.map(({ name }) => name));
  const isStop = signal === 'SIGTERM';
  // If an animal is stored and its client got no answer, the answer was cut off.
  const cut = answers.flatMap(({ unknown }) => [...unknown]).filter((name) => names.has(name));
  const wrong = compareAnswers(answers, stored);
  return {
    figures: [
      `${rounds} ${isStop ? 'stops' : 'kills'}`,
      acknowledgedFigure(answers, wrong),
      ...(isStop ? [`${cut.length} answers cut off`, `ended within ${seconds(longestStop)}`] : []),
      `ready again within ${seconds(longestStart)}`,
    ],
    broken: [
      ...wrong,
      ...linesOf(
        isStop && cut.length > 0 && `${cut.length} answers were cut off`,
        isStop && !Bun.deepEquals([...codes], [0]) && `servers ended with ${[...codes]}`,
      ),
    ],
    late: overLimits(
      ['a start took', longestStart, readyMillisecondsMax],
      ['a stop took', longestStop, stopMillisecondsMax],
    ),
  };
}

interface LongRead {
  /** Ends the read, and waits for the first change of the file. */
  end(): Promise<void>;
}

/** Begins a read of a file that a server has open, and makes its log long. */
function growLog(path: string): LongRead {
  const reader = new Connection(path, { readonly: true });
  reader.run('BEGIN');
  const pet = reader.query('SELECT 1 FROM pets').get();
  if (pet === null) throw new Error('The log cannot grow without an animal');
  using writer = new Connection(path, { readwrite: true });
  writer.run('PRAGMA busy_timeout = 3000');
  writer.run('PRAGMA synchronous = OFF');
  writer.run('PRAGMA wal_autocheckpoint = 0');
  while (statSync(`${path}-wal`).size < longLogBytes) writer.run('UPDATE pets SET name = name');
  const changedAt = () => statSync(path, { bigint: true }).mtimeNs;
  return {
    async end() {
      const before = changedAt();
      reader.close();
      while (changedAt() === before) await new Promise(setImmediate);
    },
  };
}
