import { createContext } from '../context/context.ts';
import { defaultWorkspaceName, type WorkspaceReads } from '../domain/access/workspace.ts';
import { echo } from '../domain/echo.ts';
import type { CommandWriter } from '../storage/contract/command-writer.ts';
import { DatabaseOutcomeUnknown, DatabaseUnavailable } from '../storage/contract/database-error.ts';
import type { Answer } from './answer/answer.ts';
import { type Failure, fail } from './failure.ts';
import { readSearch } from './request/read-input.ts';
import type { Endpoint, RequestContext } from './request-context.ts';
import type { RequestLog } from './services.ts';

type CheckedDatabase = CommandWriter & Pick<WorkspaceReads, 'findWorkspace'>;

interface HealthOptions {
  readonly database: CheckedDatabase;
  readonly isDraining: () => boolean;
  readonly steadyNow: () => number;
  readonly log: RequestLog;
}

/** Results are cached for this long, so that frequent probes do not touch the disk. */
const checkMilliseconds = 1000;

/** What a balancer sends to the service: everything, or only reads. */
type Traffic = 'all' | 'reads';

/** Returns why the service is not ready, or undefined if it is. */
export type CheckHealth = (
  context: RequestContext,
  traffic: Traffic,
) => Promise<Failure | undefined>;

/**
 * `/livez`: the process runs. `/readyz`: reads and writes work, so load balancers can send traffic to it. `/readyz?for=reads`: reads
 * work.
 */
export function healthEndpoints(checkHealth: CheckHealth): Endpoint[] {
  return [
    { method: 'GET', path: '/livez', respond: () => ok },
    {
      method: 'GET',
      path: '/readyz',
      async respond(context) {
        const traffic = readTraffic(context.target.search);
        return typeof traffic === 'string'
          ? ((await checkHealth(context, traffic)) ?? ok)
          : traffic;
      },
    },
  ];
}

function readTraffic(search: string): Traffic | Failure {
  const values = readSearch(search).flatMap(([name, text]) => (name === 'for' ? [text] : []));
  const [value = '', ...others] = values;
  if (values.length === 0) return 'all';
  if (value === 'reads' && others.length === 0) return 'reads';
  return fail(
    'invalid_parameter',
    `for must be reads, or be left out, got ${values.map((text) => echo(text)).join(', ')}`,
  );
}

/** Checks that storage can be read, and written if it must, at most once a second for all probes of one kind. */
export function createCheckHealth(options: HealthOptions): CheckHealth {
  const checks = { all: createCheck('all', options), reads: createCheck('reads', options) };
  return (context, traffic) => checks[traffic](context);
}

function createCheck(traffic: Traffic, options: HealthOptions) {
  const { database, isDraining, steadyNow, log } = options;
  let cached: Promise<Failure | undefined> | undefined;
  let cachedUntil = 0;

  async function check({ requestId, target: { path } }: RequestContext) {
    let attempt = 'read';
    try {
      await probeStorage(database, traffic, () => {
        attempt = 'written';
      });
      return undefined;
    } catch (error) {
      log.failed({ requestId, method: 'GET', path, error });
      return fail('unavailable', describe(error, attempt));
    } finally {
      cachedUntil = steadyNow() + checkMilliseconds;
    }
  }

  return async (context: RequestContext) => {
    if (isDraining()) return fail('unavailable', 'The service is shutting down');
    if (cached === undefined || steadyNow() >= cachedUntil) {
      cachedUntil = Number.POSITIVE_INFINITY;
      cached = check(context);
    }
    return await cached;
  };
}

/** Longer than a statement may take. */
const probeMillisecondsMax = 5000;

/** Reads, and writes unless only reads are asked for. Only a write shows that the disk has space, and that the disk or the primary responds. */
export async function probeStorage(
  database: CheckedDatabase,
  traffic: Traffic = 'all',
  onRead: () => void = () => {},
): Promise<void> {
  const context = createContext({ millisecondsMax: probeMillisecondsMax });
  await database.findWorkspace(context, defaultWorkspaceName);
  onRead();
  if (traffic === 'all') await database.write(context, 'touch', {});
}

function describe(error: unknown, attempt: string): string {
  if (error instanceof DatabaseUnavailable && error.isFull) return 'Storage is full';
  const isUnknown = error instanceof DatabaseOutcomeUnknown;
  if ((isUnknown || error instanceof DatabaseUnavailable) && error.waitsForStandby) {
    return 'Writes wait for a synchronous standby';
  }
  if (isUnknown) return 'Storage does not answer in time';
  return `Storage cannot be ${attempt}`;
}

const ok: Answer = {
  httpStatus: 200,
  headers: { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' },
  body: 'ok\n',
};
