import { expect, test } from 'bun:test';
import { DatabaseUnavailable } from '../storage/contract/database-error.ts';
import { limitRead } from './webhook-meters.ts';

test('scrapes of a storage that does not answer end, and share one read until it does', async () => {
  const answers: ((figures: string) => void)[] = [];
  const read = limitRead(() => new Promise<string>((resolve) => answers.push(resolve)), 1);
  expect([await read(), await read()]).toEqual([undefined, undefined]);
  expect(answers).toHaveLength(1);
  const late = read();
  answers[0]?.('figures');
  expect(await late).toBe('figures');
  const next = read();
  answers[1]?.('newer figures');
  expect(await next).toBe('newer figures');
});

test('figures of a storage that is not available are left out, until it is', async () => {
  let failure: Error | undefined = new DatabaseUnavailable('gone');
  const read = limitRead(() => {
    if (failure !== undefined) throw failure;
    return 'figures';
  });
  expect(await read()).toBeUndefined();
  failure = undefined;
  expect(await read()).toBe('figures');
  failure = new Error('a fault of the program');
  await expect(read()).rejects.toThrow('a fault of the program');
});
