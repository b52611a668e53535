import { AnimalStoreError, isAnimalStoreError } from '../../../client/src/error.ts';
import { isRetryable, pause } from '../../../client/src/retry.ts';
import type { CallOptions } from '../../../client/src/transport.ts';
import type { RowResult, RowResults } from '../contract.ts';

export interface Stops {
  /** Ends the work after the request that runs, whose answer is handled. It is also aborted with `signal`. */
  readonly stop: AbortSignal;
  /** Ends the request too, because another session or workspace is shown. */
  readonly signal: AbortSignal;
}

export interface Waiting extends Stops {
  /** The server does not answer, or limits requests. The call is repeated. */
  readonly onWaiting: () => void;
}

interface SendRows<Row> extends Waiting {
  /** Sends rows with one request. To send them again does nothing twice. */
  readonly send: (rows: readonly Row[], options: CallOptions) => Promise<RowResults>;
  /** Called after each answer with the rows that are done or refused, and their results. */
  readonly onResults: (results: readonly (readonly [Row, RowResult])[]) => void;
  /** Called with each row that may be done although its answer was lost. It is sent again. */
  readonly onUnanswered?: (row: Row) => void;
}

/** A row has at most 1.5 KB, because a name has at most 255 characters. So a body has less than the 1 MiB of the server. */
const rowsMax = 500;

const firstRows = 50;

/** Requests get larger until one takes this long, so that Stop and the progress do not wait. */
const requestMilliseconds = 500;

/** The server waits 10 s for a body, and 5 s for its database. */
const timeoutMilliseconds = 20_000;

/**
 * Sends rows, one request after the other, until each has its result. While the server cannot be reached or limits requests, it
 * waits. A request that fails for another reason is sent again with half of its rows, so that a row that the server or a proxy
 * cannot take does not prevent the others: this row has the error as its result. Throws the reason of `stop` if rows remain.
 */
export async function sendRows<Row>(rows: readonly Row[], options: SendRows<Row>): Promise<void> {
  const { send, onResults, onUnanswered = () => {}, onWaiting, stop, signal } = options;
  const waits = createWaits(options);
  let remaining = rows;
  let size = firstRows;

  function finish(done: readonly (readonly [Row, RowResult])[], others: readonly Row[]) {
    remaining = others;
    if (done.length > 0) onResults(done);
  }

  async function sendSome(slice: readonly Row[]): Promise<void> {
    const startedAt = performance.now();
    let retryAfterSeconds = 0;
    const { results } = await send(slice, {
      ...oneAttempt(options),
      onResponse: ({ headers }) => {
        retryAfterSeconds = Number(headers.get('retry-after'));
      },
    }).catch((error) => {
      if (mayBeDone(error)) for (const row of slice) onUnanswered(row);
      throw error;
    });
    const answered = slice.flatMap((row, index): [Row, RowResult][] => {
      const result = results[index];
      return result === undefined ? [] : [[row, result]];
    });
    const failed = answered.flatMap(([row, result]) => (isRepeatable(result) ? [row] : []));
    for (const row of failed) onUnanswered(row);
    finish(
      answered.filter(([, result]) => !isRepeatable(result)),
      [...failed, ...remaining.slice(results.length)],
    );
    const fault = results.find(isRepeatable);
    if (fault !== undefined) throw errorOf(fault);
    waits.reset();
    if (results.length < slice.length) {
      size = 2 * results.length;
      onWaiting();
      await pause((retryAfterSeconds || 1) * 1000, stop);
    } else if (performance.now() - startedAt < requestMilliseconds) size *= 2;
  }

  while (remaining.length > 0) {
    stop.throwIfAborted();
    const slice = remaining.slice(0, Math.min(size, rowsMax));
    size = slice.length;
    try {
      await sendSome(slice);
    } catch (error) {
      signal.throwIfAborted();
      stop.throwIfAborted();
      if (!isAnimalStoreError(error) || isOfAll(error)) throw error;
      // Also after no answer: on a slow line, a smaller body arrives in time.
      size = Math.ceil(slice.length / 2);
      const isOfRow = !isAway(error);
      if ((isOfRow && slice.length > 1) || (await waits.waitAfter(error))) continue;
      if (!isOfRow) throw error;
      finish(
        slice.map((row) => [row, resultOf(error)]),
        remaining.slice(1),
      );
      waits.reset();
    }
  }
}

/** Repeats a call that changes nothing twice, as long as that can help. */
export async function untilAnswered<Value>(
  act: (options: CallOptions) => Promise<Value>,
  waiting: Waiting,
): Promise<Value> {
  const waits = createWaits(waiting);
  for (;;) {
    waiting.stop.throwIfAborted();
    try {
      return await act(oneAttempt(waiting));
    } catch (error) {
      waiting.signal.throwIfAborted();
      if (!isAnimalStoreError(error) || !(await waits.waitAfter(error))) throw error;
    }
  }
}

/** Calls are repeated here, so that the page says that it waits, and Stop ends the wait. */
function oneAttempt({ signal }: Stops): CallOptions {
  return { signal, timeoutMilliseconds, retryMillisecondsMax: 0 };
}

/** At least ten minutes, without those in which the computer sleeps. */
const awayMax = 600;

/** The request itself may be the reason. */
const faultsMax = 5;

function createWaits({ stop, onWaiting }: Waiting) {
  let failures = 0;
  return {
    reset(): void {
      failures = 0;
    },
    /** Waits before the next attempt. Returns false if it would fail likewise. */
    async waitAfter(error: AnimalStoreError): Promise<boolean> {
      failures += 1;
      if (!isRetryable(error) || failures >= (isAway(error) ? awayMax : faultsMax)) return false;
      stop.throwIfAborted();
      onWaiting();
      await pause((error.retryAfterSeconds || 1) * 1000, stop);
      return true;
    },
  };
}

/** Whether the server did not take the request, so that another one would fail likewise. */
function isAway(error: AnimalStoreError): boolean {
  return isRetryable(error) && error.httpStatus !== 500;
}

/**
 * No row can be done: the session has ended or has no permission, or a proxy asks for its own sign-in, with a page or a redirect. A
 * redirect has the status 0 in browsers.
 */
function isOfAll({ code, httpStatus = 0 }: AnimalStoreError): boolean {
  const isSignIn = code === 'unexpected_response' && httpStatus < 400;
  return (
    isSignIn || httpStatus === 401 || code === 'insufficient_scope' || code === 'forbidden_origin'
  );
}

/** The transaction of the row failed. */
function isRepeatable({ status }: RowResult): boolean {
  return status >= 500;
}

/** Whether the rows of a request that failed can be done. An error of the request itself has changed none. */
function mayBeDone(error: unknown): boolean {
  const { httpStatus = 500 } = isAnimalStoreError(error) ? error : {};
  return httpStatus >= 500;
}

/** The error that a single call would throw. */
export function errorOf({ status, code = '', message = '' }: RowResult): AnimalStoreError {
  return new AnimalStoreError(code, message, { httpStatus: status });
}

function resultOf({ httpStatus = 0, code, message }: AnimalStoreError): RowResult {
  return { status: httpStatus, code, message };
}

/** Reports at most four times a second, because drawing takes longer than a change. The last report is never left out. */
export function createReport(onProgress: (isWaiting: boolean) => void) {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let next: boolean | undefined;
  function report(isWaiting: boolean): void {
    next = undefined;
    timer = setTimeout(() => {
      timer = undefined;
      if (next !== undefined) report(next);
    }, 250);
    onProgress(isWaiting);
  }
  return (isWaiting: boolean, isLast = false): void => {
    next = isWaiting;
    if (isLast) clearTimeout(timer);
    if (isLast || timer === undefined) report(isWaiting);
  };
}
