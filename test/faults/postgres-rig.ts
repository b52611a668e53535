import { administer } from '../support/postgres.ts';
import { type PostgresServer, startPostgresServer } from '../support/postgres-server.ts';
import { type ServerProcess, startServerProcess } from '../support/server-process.ts';
import {
  compareAnswers,
  type StoredAnimal,
  seconds,
  storedAnimalsQuery,
} from './compare-answers.ts';
import type { FaultOutcome } from './fault.ts';
import { type Load, startLoad } from './load.ts';

const answerMillisecondsMax = 5000;
const recoveryMillisecondsMax = 2000;

/** How long everything runs well before the fault, and again after it. */
const calmMilliseconds = 1000;

const database = 'postgres';
const apiKey = 'key-of-the-fault-runs-0001';

export interface PostgresRig {
  readonly postgres: PostgresServer;
  readonly servers: readonly ServerProcess[];
  readonly load: Load;
  /** Runs statements on the PostgreSQL server. */
  sql(text: string): Promise<Record<string, unknown>[]>;
}

export interface PostgresFaultOptions {
  readonly servers?: number;
  /** The PostgreSQL server, where the usual one does not serve. */
  readonly start?: () => Promise<PostgresServer>;
  /** What our servers use, where that is not PostgreSQL's own address. */
  readonly urlFor?: (postgres: PostgresServer) => string;
  /** Where the animals are to be looked for in the end, where not on the server they were written to. */
  readonly survivor?: () => PostgresServer;
  readonly arguments?: readonly string[];
}

/**
 * Puts several servers on one PostgreSQL under load, does something to it, and checks all promises: what
 * was acknowledged is there, what was refused is not, everything was answered in time, and all is well soon
 * after the fault has ended. `inflict` returns once it has.
 */
export async function runPostgresFault(
  inflict: (rig: PostgresRig) => Promise<void>,
  options: PostgresFaultOptions = {},
): Promise<FaultOutcome> {
  const { servers: count = 2, start = startPostgresServer, survivor } = options;
  await using stack = new AsyncDisposableStack();
  const postgres = stack.use(await start());
  const url = options.urlFor?.(postgres) ?? `${postgres.url}/${database}`;
  const servers: ServerProcess[] = [];
  for (let index = 0; index < count; index += 1) {
    const server = await startServerProcess(url, {
      args: options.arguments ?? [],
      env: { ANIMAL_STORE_API_KEY: apiKey },
    });
    servers.push(stack.use(server));
  }
  const load = startLoad({
    origins: servers.map(({ origin }) => origin),
    apiKey,
    writersPerServer: 12,
    readersPerServer: 3,
  });
  const sql = (text: string) => administer(postgres.url, text, database);

  await Bun.sleep(calmMilliseconds);
  await inflict({ postgres, servers, load, sql });
  const endedAt = performance.now();
  const recoveredAt = await load.recovered(endedAt);
  await Bun.sleep(calmMilliseconds);
  const report = await load.stop();

  const { url: survivorUrl } = survivor?.() ?? postgres;
  const rows = await administer(survivorUrl, storedAnimalsQuery('postgres'), database);
  const wrong = compareAnswers([load], rows as unknown as StoredAnimal[]);
  const dead = servers.filter(({ pid }) => !isAlive(pid));
  const recovery = recoveredAt - endedAt;
  const { statuses } = report;
  const unexpected = Object.keys(statuses).filter((text) => !['200', '201', '503'].includes(text));

  const broken = [
    ...wrong,
    dead.length > 0 && `${dead.length} servers ended`,
    unexpected.length > 0 && `answers other than 200, 201 and 503: ${unexpected.join(', ')}`,
  ].filter((line) => line !== false);
  const late = [
    report.longestMilliseconds > answerMillisecondsMax &&
      `a request took ${seconds(report.longestMilliseconds)}`,
    recovery > recoveryMillisecondsMax && `recovery took ${seconds(recovery)}`,
  ].filter((line) => line !== false);
  return {
    figures: [
      `${load.acknowledged.size} acknowledged, ${wrong.length === 0 ? 'none lost' : wrong.join(', ')}`,
      `${load.unknown.size} of unknown outcome`,
      `${statuses[503] ?? 0} of ${report.requests} answered 503`,
      `longest answer ${seconds(report.longestMilliseconds)}`,
      `recovered in ${seconds(recovery)}`,
    ],
    broken,
    late,
  };
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** The processes of a PostgreSQL server: the owning one, and all that it started. */
export function processesOf(postgres: PostgresServer): number[] {
  const { stdout } = Bun.spawnSync(['ps', '-eo', 'pid=,ppid=']);
  const pairs = stdout
    .toString()
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number));
  const children = pairs.filter(([, parent]) => parent === postgres.pid).map(([pid]) => pid ?? 0);
  return [postgres.pid, ...children];
}
