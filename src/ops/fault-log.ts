import { every } from '../context/deadline.ts';
import { DatabaseOutcomeUnknown, DatabaseUnavailable } from '../storage/contract/database-error.ts';
import type { Log } from './log.ts';

/** A failed request with its error. All members are logged. */
interface Fault {
  readonly error: unknown;
}

const storageErrorClasses = [DatabaseUnavailable, DatabaseOutcomeUnknown];
type StorageErrorClass = (typeof storageErrorClasses)[number];

/** Requests that failed with one class of error since the last line about them, and the first of them. */
interface Pending {
  first: Fault | undefined;
  requests: number;
  readonly timer: Disposable;
}

const groupMilliseconds = 1000;

/**
 * Logs a line for each fault. While storage fails, all requests fail, and a line for each would cost more than serving them. So
 * the first fault of each storage error class is logged at once, and later ones share a line a second, with the first of them and
 * their number as `requests`. Disposing of the log writes the remaining lines. `onStorageFault` is called for each request that
 * failed in storage, unless the requested data is damaged.
 */
export function createFaultLog(log: Log, onStorageFault: () => void) {
  const pendingByClass = new Map<StorageErrorClass, Pending>();

  function write({ error, ...request }: Fault, requests?: number): void {
    log.error({ ...request, requests, err: error }, 'request failed');
  }

  let repeatedAt = Number.NEGATIVE_INFINITY;

  function writePending(errorClass: StorageErrorClass, pending: Pending): void {
    const { first, requests } = pending;
    if (first === undefined) {
      pending.timer[Symbol.dispose]();
      pendingByClass.delete(errorClass);
    } else {
      pending.first = undefined;
      pending.requests = 0;
      write(first, requests);
    }
  }

  function addPending(errorClass: StorageErrorClass, fault: Fault): void {
    const pending = pendingByClass.get(errorClass);
    if (pending === undefined) {
      write(fault, 1);
      const timer = every(groupMilliseconds, () => writePending(errorClass, created));
      const created: Pending = { first: undefined, requests: 0, timer };
      pendingByClass.set(errorClass, created);
    } else {
      pending.first ??= fault;
      pending.requests += 1;
    }
  }

  return {
    /** A part of a request failed, and is done again. While a server fails, this is so for many requests, and one line a second is enough. */
    repeated({ error, ...request }: Fault): void {
      if (performance.now() - repeatedAt < groupMilliseconds) return;
      repeatedAt = performance.now();
      log.warn({ ...request, err: error }, 'a read failed and is repeated');
    },
    failed(fault: Fault): void {
      const { error } = fault;
      const isDamaged = error instanceof DatabaseUnavailable && error.isDamaged;
      const errorClass = storageErrorClasses.find((each) => error instanceof each);
      if (errorClass !== undefined && !isDamaged) onStorageFault();
      if (errorClass === undefined) write(fault);
      else addPending(errorClass, fault);
    },
    [Symbol.dispose]() {
      for (const [errorClass, pending] of pendingByClass) {
        writePending(errorClass, pending);
        pending.timer[Symbol.dispose]();
      }
    },
  };
}
