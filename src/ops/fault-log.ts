import { DatabaseOutcomeUnknown, DatabaseUnavailable } from '../domain/database/database-error.ts';
import type { Log } from './log.ts';

/** A failed request, of which the log has all members, and its error. */
interface Fault {
  readonly error: unknown;
}

const rejections = [DatabaseUnavailable, DatabaseOutcomeUnknown];
type Rejection = (typeof rejections)[number];

/** Requests that storage rejected since the last line about them, and the first of them. */
interface Rejected {
  first: Fault | undefined;
  requests: number;
  readonly timer: ReturnType<typeof setInterval>;
}

const rejectedMilliseconds = 1000;

/**
 * Logs a line for each fault. If storage rejects one request, it rejects all of them, and a line for each would cost more than
 * serving them. So the first rejection of each kind is logged at once, and later ones share a line a second, with the first of
 * them and their number as `requests`. Disposing of the log writes the remaining lines. `onRejected` is called for each request
 * that storage rejected, unless the requested data is damaged.
 */
export function createFaultLog(log: Log, onRejected: () => void) {
  const rejectedByKind = new Map<Rejection, Rejected>();

  function write({ error, ...request }: Fault, requests?: number): void {
    log.error({ ...request, requests, err: error }, 'failed');
  }

  function writeRejected(kind: Rejection, rejected: Rejected): void {
    const { first, requests } = rejected;
    if (first === undefined) {
      clearInterval(rejected.timer);
      rejectedByKind.delete(kind);
    } else {
      Object.assign(rejected, { first: undefined, requests: 0 });
      write(first, requests);
    }
  }

  function addRejected(kind: Rejection, fault: Fault): void {
    const rejected = rejectedByKind.get(kind);
    if (rejected === undefined) {
      write(fault, 1);
      const timer = setInterval(() => writeRejected(kind, begun), rejectedMilliseconds);
      const begun: Rejected = { first: undefined, requests: 0, timer };
      timer.unref();
      rejectedByKind.set(kind, begun);
    } else {
      rejected.first ??= fault;
      rejected.requests += 1;
    }
  }

  return {
    failed(fault: Fault): void {
      const { error } = fault;
      const isDamaged = error instanceof DatabaseUnavailable && error.isDamaged;
      const kind = rejections.find((rejection) => error instanceof rejection);
      if (kind !== undefined && !isDamaged) onRejected();
      if (kind === undefined) write(fault);
      else addRejected(kind, fault);
    },
    [Symbol.dispose]() {
      for (const [kind, rejected] of rejectedByKind) {
        writeRejected(kind, rejected);
        clearInterval(rejected.timer);
      }
    },
  };
}
