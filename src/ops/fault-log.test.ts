import { afterEach, beforeEach, expect, jest, test } from 'bun:test';
import { pino } from 'pino';
import { DatabaseOutcomeUnknown, DatabaseUnavailable } from '../storage/contract/database-error.ts';
import { createFaultLog } from './fault-log.ts';

beforeEach(() => {
  jest.useFakeTimers();
});

afterEach(() => {
  jest.useRealTimers();
});

/** The members of a line, except for its time and machine. */
interface Line {
  readonly requestId: string;
  readonly requests?: number;
  readonly err: { readonly message: string; readonly stack: string };
}

function openFaultLog() {
  const lines: Line[] = [];
  const log = pino({}, { write: (line) => lines.push(JSON.parse(line)) });
  let storageFaults = 0;
  const faults = createFaultLog(log, () => {
    storageFaults += 1;
  });
  let requests = 0;
  return {
    fail(error: Error) {
      requests += 1;
      const request = { requestId: `r${requests}`, method: 'GET', path: '/v1/pets' };
      faults.failed({ ...request, error });
    },
    close: () => faults[Symbol.dispose](),
    /** The lines since the last call. */
    take: () =>
      lines.splice(0).map(({ requestId, requests, err }) => [requestId, requests, err.message]),
    lines,
    storageFaults: () => storageFaults,
  };
}

const gone = new DatabaseUnavailable('gone');
const unknown = new DatabaseOutcomeUnknown('unknown');

test('a fault of the service is logged at once, with its stack', () => {
  const { fail, lines } = openFaultLog();
  for (let count = 0; count < 5; count += 1) fail(new TypeError('a bug'));
  expect(lines).toHaveLength(5);
  expect(lines[4]).toMatchObject({
    level: 50,
    msg: 'request failed',
    requestId: 'r5',
    method: 'GET',
    path: '/v1/pets',
    err: { message: 'a bug', stack: expect.stringContaining('fault-log.test.ts') },
  });
});

test('storage faults are logged at once, then once a second with their number', () => {
  const { fail, take } = openFaultLog();
  for (let count = 0; count < 1000; count += 1) fail(gone);
  expect(take()).toEqual([['r1', 1, 'gone']]);
  jest.advanceTimersByTime(1000);
  expect(take()).toEqual([['r2', 999, 'gone']]);
  fail(gone);
  jest.advanceTimersByTime(999);
  expect(take()).toEqual([]);
  jest.advanceTimersByTime(1);
  expect(take()).toEqual([['r1001', 1, 'gone']]);
  // After a second without faults, the next one is logged at once.
  jest.advanceTimersByTime(1000);
  fail(gone);
  expect(take()).toEqual([['r1002', 1, 'gone']]);
});

test('a request for damaged data does not count as an outage of storage', () => {
  const { fail, storageFaults } = openFaultLog();
  for (const error of [gone, unknown, new TypeError('a bug')]) fail(error);
  expect(storageFaults()).toBe(2);
  fail(new DatabaseUnavailable('damaged', { isDamaged: true }));
  expect(storageFaults()).toBe(2);
});

test('storage faults with a known and with an unknown outcome are counted separately', () => {
  const { fail, take } = openFaultLog();
  for (const error of [gone, unknown, unknown, gone, unknown]) fail(error);
  expect(take()).toEqual([
    ['r1', 1, 'gone'],
    ['r2', 1, 'unknown'],
  ]);
  jest.advanceTimersByTime(1000);
  expect(take().sort()).toEqual([
    ['r3', 2, 'unknown'],
    ['r4', 1, 'gone'],
  ]);
});

test('storage faults that are not logged yet are logged when the server stops', () => {
  const { fail, close, take } = openFaultLog();
  for (let count = 0; count < 10; count += 1) fail(gone);
  take();
  close();
  expect(take()).toEqual([['r2', 9, 'gone']]);
  jest.advanceTimersByTime(10_000);
  expect(take()).toEqual([]);
});
