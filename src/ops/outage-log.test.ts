import { afterEach, beforeEach, expect, jest, test } from 'bun:test';
import { pino } from 'pino';
import { createOutageLog } from './outage-log.ts';

beforeEach(() => {
  jest.useFakeTimers();
});

afterEach(() => {
  jest.useRealTimers();
});

function openOutageLog() {
  const lines: unknown[] = [];
  const storage = { works: false, checks: 0 };
  let clock = 0;
  const outages = createOutageLog(
    pino({}, { write: (line) => lines.push(JSON.parse(line)) }),
    async () => {
      storage.checks += 1;
      if (!storage.works) throw new Error('gone');
    },
    () => clock,
  );
  const passSecond = async () => {
    clock += 1000;
    jest.advanceTimersByTime(1000);
    await Promise.resolve();
    await Promise.resolve();
    await Promise.resolve();
  };
  return { lines, storage, outages, passSecond };
}

test('during an outage storage is checked each second, and its recovery is logged once with the duration', async () => {
  const { lines, storage, outages, passSecond } = openOutageLog();
  outages.failed();
  for (let second = 0; second < 5; second += 1) await passSecond();
  expect([storage.checks, lines]).toEqual([4, []]);
  storage.works = true;
  for (let second = 0; second < 5; second += 1) await passSecond();
  expect(storage.checks).toBe(5);
  expect(lines).toMatchObject([{ level: 40, msg: 'storage works again', seconds: 6 }]);
  outages.failed();
  await passSecond();
  await passSecond();
  expect(lines).toMatchObject([{ seconds: 6 }, { seconds: 2 }]);
});

test('storage that rejects a request each second has not recovered, although the checks succeed', async () => {
  const { lines, storage, outages, passSecond } = openOutageLog();
  storage.works = true;
  for (let second = 0; second < 5; second += 1) {
    outages.failed();
    await passSecond();
  }
  expect([storage.checks, lines]).toEqual([0, []]);
});

test('a server that stops ends its checks and logs no recovery', async () => {
  const { lines, storage, outages, passSecond } = openOutageLog();
  outages.failed();
  outages[Symbol.dispose]();
  storage.works = true;
  for (let second = 0; second < 3; second += 1) await passSecond();
  expect([storage.checks, lines]).toEqual([0, []]);
});
