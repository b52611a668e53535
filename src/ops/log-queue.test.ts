import { expect, test } from 'bun:test';
import { createLogQueue } from './log-queue.ts';

test('a full log drops debug lines first and errors last, and keeps the rest in order', () => {
  const queue = createLogQueue(10);
  queue.add('error', 'e1');
  queue.add('debug', 'd1');
  queue.add('info', 'i1');
  queue.add('debug', 'd2');
  queue.add('trace', 't1');
  // Only a line at level trace is lower.
  queue.add('debug', 'd3');
  queue.add('debug', 'd4');
  // It is as long as two debug lines.
  queue.add('error', 'e222');
  queue.add('warn', 'w1');
  queue.add('fatal', 'f1');
  expect(queue.take()).toBe('e1e222w1f1');
  expect(queue.droppedLines).toEqual({ trace: 1, debug: 4, info: 1, warn: 0, error: 0, fatal: 0 });
  expect(queue.takeDroppedCount()).toBe(6);
  expect(queue.takeDroppedCount()).toBe(0);
  queue.add('trace', 't2');
  expect(queue.take()).toBe('t2');
});

test('a line that is longer than the whole queue drops no other line', () => {
  const queue = createLogQueue(10);
  queue.add('debug', 'd1');
  queue.add('error', 'e'.repeat(11));
  queue.add('debug', 'd2');
  expect(queue.take()).toBe('d1d2');
  expect(queue.droppedLines).toMatchObject({ debug: 0, error: 1 });
});
