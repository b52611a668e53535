import { DatabaseOutcomeUnknown, DatabaseUnavailable } from '../domain/database/database-error.ts';
import type { Log } from './log.ts';

/** A failed request and its error. */
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

/** Requests that storage rejected since the last line about them, and the first of them. */
interface Rejected {
  first: Fault | undefined;
  requests: number;
  readonly timer: ReturnType<typeof setInterval>;
}

const rejections = [DatabaseUnavailable, DatabaseOutcomeUnknown];
type Rejection = (typeof rejections)[number];

const rejectedMilliseconds = 1000;

/**
 * Logs a line for each fault. If storage rejects one request, it rejects all of them, and a line for each would cost more than
 * serving them. So the first rejection of each kind is logged at once, and later ones share a line a second, with the first of
 * them and their number as `requests`. Disposing of the log writes the remaining lines. `onRejected` is called for each request
 * that storage rejected, unless the requested data is damaged.
 */
export function createFaultLog(log: Log, onRejected: () => void): FaultLog {
  const rejectedByKind = new Map<Rejection, Rejected>();

  function write({ error, ...request }: Fault, more: { readonly requests?: number } = {}): void {
    log.error({ ...request, ...more, err: error }, 'failed');
  }

  function writeRejected(kind: Rejection, rejected: Rejected): void {
    const { first, requests } = rejected;
    if (first === undefined) {
      clearInterval(rejected.timer);
      rejectedByKind.delete(kind);
      return;
    }
    rejected.first = undefined;
    rejected.requests = 0;
    write(first, { requests });
  }

  function failed(fault: Fault): void {
    const kind = rejections.find((rejection) => fault.error instanceof rejection);
    if (kind === undefined) {
      write(fault);
      return;
    }
    if (!isDamaged(fault.error)) onRejected();
    const rejected = rejectedByKind.get(kind);
    if (rejected !== undefined) {
      rejected.first ??= fault;
      rejected.requests += 1;
      return;
    }
    write(fault, { requests: 1 });
    const begun: Rejected = {
      first: undefined,
      requests: 0,
      timer: setInterval(() => writeRejected(kind, begun), rejectedMilliseconds),
    };
    begun.timer.unref();
    rejectedByKind.set(kind, begun);
  }

  return {
    failed,
    [Symbol.dispose]() {
      for (const [kind, rejected] of rejectedByKind) {
        writeRejected(kind, rejected);
        clearInterval(rejected.timer);
      }
    },
  };
}

function isDamaged(error: unknown): boolean {
  return error instanceof DatabaseUnavailable && error.isDamaged;
}
