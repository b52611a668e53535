import { expect, test } from 'bun:test';
import { AnimalStoreError } from '../client/src/error.ts';
import { sendRows, untilAnswered } from '../console/src/api/send-rows.ts';
import type { RowResult } from '../console/src/contract.ts';

type Answer = readonly RowResult[] | AnimalStoreError;

const done = { status: 201 } as const;

/** Sends rows to a server that answers as given. Returns the sizes of the requests, and the results by row. */
async function send(
  rowCount: number,
  answer: (rows: readonly number[], request: number) => Answer,
  { stopAfter = Number.POSITIVE_INFINITY, retryAfter = '0.01' } = {},
) {
  const stopping = new AbortController();
  const requests: (readonly number[])[] = [];
  const results = new Map<number, RowResult>();
  let waitCount = 0;
  const sent = sendRows(
    Array.from({ length: rowCount }, (_, row) => row),
    {
      async send(rows, { onResponse }) {
        requests.push(rows);
        const given = answer(rows, requests.length);
        if (requests.length === stopAfter) stopping.abort();
        if (given instanceof AnimalStoreError) throw given;
        const headers = new Headers({ 'retry-after': retryAfter });
        onResponse?.({
          ...{ status: 200, requestId: undefined, rateLimit: undefined, isReplayed: false },
          headers,
        });
        return { results: given };
      },
      onResults(answered) {
        for (const [row, result] of answered) {
          expect(results.has(row)).toBe(false);
          results.set(row, result);
        }
      },
      onWaiting: () => {
        waitCount += 1;
      },
      stop: stopping.signal,
      signal: new AbortController().signal,
    },
  );
  const error: unknown = await sent.then(
    () => undefined,
    (reason) => reason,
  );
  const sizes = requests.map((rows) => rows.length);
  return { sizes, results, error, waitCount: () => waitCount };
}

/** An error that the page repeats after ten milliseconds. */
function errorOf(code: string, httpStatus?: number): AnimalStoreError {
  return new AnimalStoreError(code, code, { httpStatus, retryAfterSeconds: 0.01 });
}

test('rows are sent in larger and larger requests of at most 500', async () => {
  const { sizes, results, error } = await send(2000, (rows) => rows.map(() => done));
  expect(sizes).toEqual([50, 100, 200, 400, 500, 500, 250]);
  expect([results.size, error]).toEqual([2000, undefined]);
});

test('rows that the rate limit did not admit are sent after a wait, and the page says that it waits', async () => {
  const { sizes, results, waitCount } = await send(12, (rows) => rows.slice(0, 5).map(() => done));
  expect(sizes).toEqual([12, 7, 2]);
  expect([results.size, waitCount()]).toEqual([12, 2]);
});

test.each([
  ['no connection', errorOf('connection_failed')],
  ['no answer in time, as on a slow line', errorOf('timed_out')],
  ['a server that starts again', errorOf('unavailable', 503)],
  ['a proxy that reaches no server', errorOf('unexpected_response', 502)],
  ['too many requests', errorOf('rate_limited', 429)],
])('after %s, the same rows are sent again, fewer at once', async (_what, fault) => {
  const { sizes, results, waitCount } = await send(60, (rows, request) =>
    request < 9 ? fault : rows.map(() => done),
  );
  expect(sizes).toEqual([50, 25, 13, 7, 4, 2, 1, 1, 1, 2, 4, 8, 16, 29]);
  expect([results.size, waitCount()]).toEqual([60, 8]);
});

test.each([
  ['the server', errorOf('internal_error', 500)],
  ['a proxy', errorOf('unexpected_response', 403)],
  ['a proxy with a small limit', errorOf('unexpected_response', 413)],
])('a row that %s cannot take has the error, and the others are done', async (_what, fault) => {
  const { results, error } = await send(200, (rows) =>
    rows.includes(77) ? fault : rows.map(() => done),
  );
  const { httpStatus: status = 0, code, message } = fault;
  expect(results.get(77)).toEqual({ status, code, message });
  expect([...results.values()].filter((result) => result === done)).toHaveLength(199);
  expect(error).toBeUndefined();
});

test('rows whose transaction failed are sent again, and those of other transactions are not', async () => {
  const { sizes, results } = await send(50, (rows, request) =>
    rows.map((row) =>
      row >= 10 && row < 20 && request < 3 ? { status: 503, code: 'unavailable' } : done,
    ),
  );
  expect(sizes.slice(0, 2)).toEqual([50, 10]);
  expect([...results.values()]).toEqual(Array.from({ length: 50 }, () => done));
}, 10_000);

test.each([
  ['without a session', errorOf('invalid_api_key', 401)],
  ['without its permission', errorOf('insufficient_scope', 403)],
  ['after the sign-in page of a proxy', errorOf('unexpected_response', 200)],
  ['after a redirect by a proxy', errorOf('unexpected_response', 0)],
])('nothing more is sent %s', async (_what, fault) => {
  const { sizes, results, error } = await send(100, (rows, request) =>
    request === 2 ? fault : rows.map(() => done),
  );
  expect(sizes).toHaveLength(2);
  expect([results.size, error]).toEqual([50, fault]);
});

test('Stop lets the request that runs end, handles its answer, and ends a wait', async () => {
  const stopped = await send(200, (rows) => rows.map(() => done), { stopAfter: 2 });
  expect([stopped.sizes.length, stopped.results.size]).toEqual([2, 150]);
  expect(stopped.error).toHaveProperty('name', 'AbortError');
  const waiting = await send(10, () => [done], { stopAfter: 1, retryAfter: '3600' });
  expect([waiting.results.size, Object(waiting.error).name]).toEqual([1, 'AbortError']);
  const whole = await send(50, (rows) => rows.map(() => done), { stopAfter: 1 });
  expect([whole.results.size, whole.error]).toEqual([50, undefined]);
});

test('a read is repeated until it is answered, unless that cannot help', async () => {
  const { signal } = new AbortController();
  const read = async (faults: readonly AnimalStoreError[]) => {
    let count = 0;
    return untilAnswered(
      async () => {
        const fault = faults[count++];
        if (fault !== undefined) throw fault;
        return count;
      },
      { stop: signal, signal, onWaiting: () => {} },
    );
  };
  const away = errorOf('connection_failed');
  expect(await read(Array.from({ length: 20 }, () => away))).toBe(21);
  const broken = errorOf('internal_error', 500);
  await expect(read(Array.from({ length: 20 }, () => broken))).rejects.toBe(broken);
  const gone = errorOf('not_found', 404);
  await expect(read([gone])).rejects.toBe(gone);
});
