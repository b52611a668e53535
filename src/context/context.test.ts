import { expect, test } from 'bun:test';
import { CallEnded } from '../domain/values/context.ts';
import { background, checkContext, createContext, isOver, shorten } from './context.ts';

test('a call ends at its deadline, and when its signal is aborted', () => {
  const leaving = new AbortController();
  const call = createContext({ millisecondsMax: 60_000, signal: leaving.signal });
  expect(isOver(call)).toBe(false);
  expect(() => checkContext(createContext({ millisecondsMax: 0 }))).toThrow(
    new CallEnded('The call took too long'),
  );
  leaving.abort();
  expect(() => checkContext(call)).toThrow(new CallEnded('The call was aborted'));
});

test('a part of a call never ends later than the call', () => {
  const call = createContext({ millisecondsMax: 10 });
  expect(shorten(call, 60_000).deadline).toBe(call.deadline);
  expect(isOver(shorten(background, 0))).toBe(true);
});
