import { defaultWorkspaceName, type WorkspaceReads } from '../domain/access/workspace.ts';
import type { CommandWriter } from '../domain/database/command-writer.ts';
import { DatabaseOutcomeUnknown, DatabaseUnavailable } from '../domain/database/database-error.ts';
import type { Answer } from './answer/answer.ts';
import { type Failure, fail } from './failure.ts';
import type { RequestContext } from './request-context.ts';
import type { RequestLog } from './request-log.ts';
import type { Endpoint } from './router.ts';

type CheckedDatabase = CommandWriter & Pick<WorkspaceReads, 'findWorkspace'>;

interface HealthOptions {
  readonly database: CheckedDatabase;
  readonly isDraining: () => boolean;
  readonly steadyNow: () => number;
  readonly log: RequestLog;
}

/** Results are cached for this long, so that frequent probes do not touch the disk. */
const checkMilliseconds = 1000;

/** Returns why the service is not ready, or undefined if it is. */
export type CheckHealth = (context: RequestContext) => Promise<Failure | undefined>;

/** `/livez`: the process runs. `/readyz`: the service works, so load balancers can send traffic to it. */
export function healthEndpoints(checkHealth: CheckHealth): Endpoint[] {
  return [
    { method: 'GET', path: '/livez', respond: () => ok },
    {
      method: 'GET',
      path: '/readyz',
      respond: async (context) => (await checkHealth(context)) ?? ok,
    },
  ];
}

/** Checks that storage can be read and written, at most once a second for all probes. */
export function createCheckHealth(options: HealthOptions): CheckHealth {
  const { database, isDraining, steadyNow, log } = options;
  let cached: Promise<Failure | undefined> | undefined;
  let cachedUntil = 0;

  async function check({ requestId, target: { path } }: RequestContext) {
    let attempt = 'read';
    try {
      await probeStorage(database, () => {
        attempt = 'written';
      });
      return undefined;
    } catch (error) {
      log.failed({ requestId, method: 'GET', path, error });
      return unready(describe(error, attempt));
    } finally {
      cachedUntil = steadyNow() + checkMilliseconds;
    }
  }

  return async (context) => {
    if (isDraining()) return unready('The service is shutting down');
    if (cached === undefined || steadyNow() >= cachedUntil) {
      cachedUntil = Number.POSITIVE_INFINITY;
      cached = check(context);
    }
    return await cached;
  };
}

/** Reads and writes. Only a write shows that the disk has space, and that the disk or the primary responds. */
export async function probeStorage(
  database: CheckedDatabase,
  onRead: () => void = () => {},
): Promise<void> {
  await database.findWorkspace(defaultWorkspaceName);
  onRead();
  await database.write('touch', {});
}

function describe(error: unknown, attempt: string): string {
  if (error instanceof DatabaseUnavailable && error.isFull) return 'Storage is full';
  if (error instanceof DatabaseOutcomeUnknown) return 'Storage does not answer in time';
  return `Storage cannot be ${attempt}`;
}

const ok: Answer = {
  httpStatus: 200,
  headers: { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' },
  body: 'ok\n',
};

function unready(message: string): Failure {
  return fail('unavailable', message, { 'retry-after': '1' });
}
