import { expect, test } from 'bun:test';
import { createIdlePolling } from './idle-polling.ts';

test('without requests, work is looked for once in each period, after a minute as usual', () => {
  let now = 0;
  const polling = createIdlePolling(600_000, () => now);
  const app = polling.watch(() => new Response());
  const mayLook = polling.createGate();
  const looksWithin = (seconds: number) => {
    let looks = 0;
    for (let second = 0; second < seconds; second += 1) {
      now += 1000;
      if (mayLook()) looks += 1;
    }
    return looks;
  };
  expect(looksWithin(59)).toBe(59);
  expect(looksWithin(3600)).toBe(6);
  const ask = (path: string) => app(new Request(`http://localhost${path}`), {} as never);
  ask('/livez');
  expect(looksWithin(50)).toBe(0);
  ask('/v1/pets');
  expect(looksWithin(59)).toBe(59);
});

test('with 0, work is looked for as often as with requests', () => {
  let now = 0;
  const mayLook = createIdlePolling(0, () => now).createGate();
  now += 10_000_000;
  expect([mayLook(), mayLook()]).toEqual([true, true]);
});
