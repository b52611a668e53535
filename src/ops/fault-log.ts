import { DatabaseOutcomeUnknown, DatabaseUnavailable } from '../domain/database/database-error.ts';
import type { Log } from './log.ts';

/** What went wrong, and with which request. */
export interface Fault {
  readonly requestId: string;
  readonly method: string;
  readonly path: string;
  readonly address?: string | undefined;
  readonly apiKeyId?: number | undefined;
  readonly sessionId?: string | undefined;
  readonly workspace?: string | undefined;
  readonly error: unknown;
}

export interface FaultLog extends Disposable {
  readonly failed: (fault: Fault) => void;
}

/** Requests that were refused since the last line about such, and the first of them. */
interface Refused {
  first: Fault | undefined;
  requests: number;
  readonly timer: ReturnType<typeof setInterval>;
}

const refusals = [DatabaseUnavailable, DatabaseOutcomeUnknown];
type Refusal = (typeof refusals)[number];

const refusedMilliseconds = 1000;

/**
 * Logs faults, a line each. But storage that refuses one request refuses them all, and a line for each would cost
 * more than serving them: of either kind of refusal, the first has a line at once, and those after it have a line a
 * second together, which names the first of them and tells how many `requests` they were. Disposing of the log writes
 * what is left to tell. `onRejected` is called for each request that storage rejected, unless what it asked for is damaged.
 */
export function createFaultLog(log: Log, onRejected: () => void): FaultLog {
  const refusedByKind = new Map<Refusal, Refused>();

  function write({ error, ...request }: Fault, more: { readonly requests?: number } = {}): void {
    log.error({ ...request, ...more, err: error }, 'failed');
  }

  function tellRefused(kind: Refusal, refused: Refused): void {
    const { first, requests } = refused;
    if (first === undefined) {
      clearInterval(refused.timer);
      refusedByKind.delete(kind);
      return;
    }
    refused.first = undefined;
    refused.requests = 0;
    write(first, { requests });
  }

  function failed(fault: Fault): void {
    const kind = refusals.find((refusal) => fault.error instanceof refusal);
    if (kind === undefined) {
      write(fault);
      return;
    }
    if (!isDamaged(fault.error)) onRejected();
    const refused = refusedByKind.get(kind);
    if (refused !== undefined) {
      refused.first ??= fault;
      refused.requests += 1;
      return;
    }
    write(fault, { requests: 1 });
    const begun: Refused = {
      first: undefined,
      requests: 0,
      timer: setInterval(() => tellRefused(kind, begun), refusedMilliseconds),
    };
    begun.timer.unref();
    refusedByKind.set(kind, begun);
  }

  return {
    failed,
    [Symbol.dispose]() {
      for (const [kind, refused] of refusedByKind) {
        tellRefused(kind, refused);
        clearInterval(refused.timer);
      }
    },
  };
}

function isDamaged(error: unknown): boolean {
  return error instanceof DatabaseUnavailable && error.isDamaged;
}
