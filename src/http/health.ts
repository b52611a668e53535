import type { CommandWriter } from '../domain/commands.ts';
import { DatabaseOutcomeUnknown, DatabaseUnavailable } from '../domain/database-error.ts';
import { type Failure, fail } from '../domain/error.ts';
import { defaultWorkspaceName, type WorkspaceReads } from '../domain/workspace.ts';
import type { Answer } from './answer.ts';
import type { Responder } from './request-context.ts';
import type { RequestLog } from './request-log.ts';
import type { Endpoint } from './router.ts';

interface Health {
  readonly database: CommandWriter & Pick<WorkspaceReads, 'findWorkspace'>;
  readonly isDraining: () => boolean;
  readonly steadyNow: () => number;
  readonly log: RequestLog;
}

/** How long what was found holds: whoever asks more often costs the disk nothing. */
const checkMilliseconds = 1000;

/** `/livez`: the process answers. `/readyz`: it can do its work, so traffic may be sent to it. */
export function healthEndpoints(health: Health): Endpoint<Responder>[] {
  const { isDraining, log } = health;
  const checkStorage = createStorageCheck(health);
  return [
    { method: 'GET', path: '/livez', value: () => ok },
    {
      method: 'GET',
      path: '/readyz',
      async value({ requestId }) {
        if (isDraining()) return unready('The service is shutting down');
        const report = (error: unknown) =>
          log.failed({ requestId, method: 'GET', path: '/readyz', error });
        return (await checkStorage(report)) ?? ok;
      },
    },
  ];
}

/** Finds out whether storage can be read and written, at most once a second however many ask. */
function createStorageCheck({ database, steadyNow }: Health) {
  let found: Promise<Failure | undefined> | undefined;
  let holdsUntil = 0;

  async function check(report: (error: unknown) => void): Promise<Failure | undefined> {
    let attempt = 'read';
    try {
      await database.findWorkspace(defaultWorkspaceName);
      attempt = 'written';
      // That there is room, and that the disk or the primary answers, only a write can tell.
      await database.write('touch', {});
      return undefined;
    } catch (error) {
      report(error);
      return unready(describe(error, attempt));
    } finally {
      holdsUntil = steadyNow() + checkMilliseconds;
    }
  }

  return (report: (error: unknown) => void) => {
    if (found === undefined || steadyNow() >= holdsUntil) {
      holdsUntil = Number.POSITIVE_INFINITY;
      found = check(report);
    }
    return found;
  };
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
