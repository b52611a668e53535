import { Database as Connection } from 'bun:sqlite';
import { statSync } from 'node:fs';
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
    run: (options) => onSqlite((database) => run(options, database, () => growLog(database.path))),
  },
  {
    name: 'server-kill-postgres',
    title: 'server on PostgreSQL killed (SIGKILL) during writes and started again',
    promise,
    run: (options) => onPostgres((database) => run(options, database)),
  },
];

/** In each of so many rounds, the kill comes while the server moves a long log into the file. */
const roundsPerLongRead = 10;

const longLogBytes = 64 * 2 ** 20;

async function run(
  { long }: TestOptions,
  database: TestDatabase,
  startLongRead?: () => LongRead,
): Promise<TestOutcome> {
  const rounds = long ? roundsOnDemand : roundsEveryDay;
  const answers: Load[] = [];
  let longestStart = 0;
  for (let round = 0; round < rounds; round += 1) {
    const before = performance.now();
    await using server = await database.start();
    longestStart = Math.max(longestStart, performance.now() - before);
    const isLongRead = round % roundsPerLongRead === roundsPerLongRead - 1;
    const longRead = isLongRead ? startLongRead?.() : undefined;
    const load = startLoad(server, 16, 1, `Round ${round}`);
    answers.push(load);
    if (longRead === undefined) {
      // Kills between the first write and one after thousands.
      await Bun.sleep((round % 20) * 5);
    } else {
      await Bun.sleep(200);
      await longRead.end();
      await Bun.sleep(((round / roundsPerLongRead) % 4) * 2);
    }
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

interface LongRead {
  /** Ends the read, and waits for the first change of the file. */
  end(): Promise<void>;
}

/** Begins a read of a file that a server has open, and makes its log long. */
function growLog(path: string): LongRead {
  const reader = new Connection(path, { readonly: true });
  reader.run('BEGIN');
  reader.query('SELECT 1 FROM pets').get();
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
