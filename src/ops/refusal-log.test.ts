import { afterEach, beforeEach, expect, jest, test } from 'bun:test';
import { pino } from 'pino';
import { createRefusalLog } from './refusal-log.ts';

beforeEach(() => {
  jest.useFakeTimers();
});

afterEach(() => {
  jest.useRealTimers();
});

function openRefusalLog() {
  const lines: { msg: string; requestId?: string; requests?: number }[] = [];
  const refusals = createRefusalLog(pino({}, { write: (line) => lines.push(JSON.parse(line)) }));
  return {
    refuse(refusal: 'sign-in' | 'origin', times: number) {
      for (let count = 1; count <= times; count += 1) {
        const request = { requestId: `r${count}`, method: 'POST', path: '/console/v1/session' };
        refusals.refused({
          ...request,
          ...{ address: '192.0.2.1', reason: 'unknown_link' },
          refusal,
        });
      }
    },
    close: () => refusals[Symbol.dispose](),
    /** The lines since the last call. */
    take: () => lines.splice(0).map(({ msg, requestId, requests }) => [msg, requestId ?? requests]),
  };
}

test('refused sign-ins are logged, at most 20 a minute, and one line counts the others', () => {
  const { refuse, take } = openRefusalLog();
  refuse('sign-in', 523);
  const lines = take();
  expect(lines).toHaveLength(20);
  expect([lines[0], lines[19]]).toEqual([
    ['sign-in refused', 'r1'],
    ['sign-in refused', 'r20'],
  ]);
  jest.advanceTimersByTime(60_000);
  expect(take()).toEqual([['sign-in refused; requests without a line', 503]]);
  refuse('sign-in', 2);
  jest.advanceTimersByTime(60_000);
  expect(take()).toHaveLength(2);
});

test('requests of other sites take no log lines from refused sign-ins', () => {
  const { refuse, take } = openRefusalLog();
  refuse('origin', 1000);
  take();
  refuse('sign-in', 1);
  expect(take()).toEqual([['sign-in refused', 'r1']]);
});

test('the number of refusals that were not logged is logged when the server stops', () => {
  const { refuse, close, take } = openRefusalLog();
  refuse('sign-in', 21);
  take();
  close();
  expect(take()).toEqual([['sign-in refused; requests without a line', 1]]);
});
