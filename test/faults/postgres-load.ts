import { type PostgresServer, startPostgresServer } from '../support/postgres-server.ts';
import type { ServerProcess } from '../support/server-process.ts';
import { compareAnswers } from './compare-answers.ts';
import { type PostgresDatabase, postgresDatabaseOn, startServer } from './databases.ts';
import { acknowledgedFigure, linesOf, overLimits, seconds } from './figures.ts';
import { startLoadOn } from './load.ts';
import type { TestOutcome } from './long-test.ts';

const answerMillisecondsMax = 5000;

/** How long the load runs before the fault, and again after it. */
const calmMilliseconds = 1000;

/** A recovery that exceeds its limit is measured for this much longer. */
const overtimeMilliseconds = 18_000;

export interface PostgresFault {
  /** Causes the fault. Returns when the fault has ended. */
  cause(database: PostgresDatabase): Promise<void>;
  /** The PostgreSQL server, if the default one does not serve. */
  readonly start?: () => Promise<PostgresServer>;
  /** The address for the servers under load, if it is not that of PostgreSQL. */
  readonly urlFor?: (database: PostgresDatabase) => string | Promise<string>;
  /** The PostgreSQL server that has the animals at the end, if it is not the first one. */
  readonly survivor?: () => PostgresServer | undefined;
  /** How long after the end of the fault writes may fail. */
  readonly recoveryMillisecondsMax?: number;
}

/**
 * Puts two servers on one PostgreSQL under load, causes a fault, and checks all promises: acknowledged animals are
 * stored, refused ones are not, every request is answered in time, and writes work soon after the end of the fault.
 */
export async function runPostgresFault(fault: PostgresFault): Promise<TestOutcome> {
  const { cause, start = startPostgresServer, survivor, recoveryMillisecondsMax = 2000 } = fault;
  await using stack = new AsyncDisposableStack();
  const postgres = stack.use(await start());
  const database = postgresDatabaseOn(postgres);
  const url = (await fault.urlFor?.(database)) ?? database.url;
  const servers = [stack.use(await startServer(url)), stack.use(await startServer(url))];
  const load = startLoadOn(servers, {
    writersPerServer: 12,
    readersPerServer: 3,
    namePrefix: 'Pet',
  });

  await Bun.sleep(calmMilliseconds);
  await cause(database);
  const endedAt = performance.now();
  const waitMilliseconds = recoveryMillisecondsMax + overtimeMilliseconds;
  const recovery = (await load.recovered(endedAt, waitMilliseconds)) - endedAt;
  await Bun.sleep(calmMilliseconds);
  const { statuses, requests, longestMilliseconds } = await load.stop();

  const { readAnimals } = postgresDatabaseOn(survivor?.() ?? postgres);
  const wrong = compareAnswers([load], await readAnimals());
  const dead = servers.filter((server) => !isAlive(server)).length;
  const unexpected = Object.keys(statuses).filter((text) => !['200', '201', '503'].includes(text));
  return {
    figures: [
      acknowledgedFigure([load], wrong),
      `${load.unknown.size} of unknown outcome`,
      `${statuses[503] ?? 0} of ${requests} answered 503`,
      `longest answer ${seconds(longestMilliseconds)}`,
      `recovered in ${seconds(recovery)}`,
    ],
    broken: [
      ...wrong,
      ...linesOf(
        dead > 0 && `${dead} servers ended`,
        unexpected.length > 0 && `answers other than 200, 201 and 503: ${unexpected.join(', ')}`,
      ),
    ],
    late: overLimits(
      ['a request took', longestMilliseconds, answerMillisecondsMax],
      ['recovery took', recovery, recoveryMillisecondsMax],
    ),
  };
}

function isAlive({ pid }: ServerProcess): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
