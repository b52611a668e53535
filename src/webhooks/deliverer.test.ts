import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { makeTemporaryFolder } from '../../test/support/temporary-folder.ts';
import { background } from '../context/context.ts';
import type { AttemptResult, WebhookAttempt } from '../domain/webhook.ts';
import { openSqliteDatabase } from '../sqlite/database.ts';
import type { Database } from '../storage/contract/database.ts';
import { DatabaseUnavailable } from '../storage/contract/database-error.ts';
import { startDeliverer } from './deliverer.ts';

const delivered: AttemptResult = { httpStatus: 204, milliseconds: 1 };

/** A database with a webhook and events, and servers that deliver them to a function. */
async function openShop({ events = 3 } = {}) {
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(makeTemporaryFolder());
  const path = join(folder.path, 'test.db');
  const database = stack.use(await openSqliteDatabase({ path, asServer: false, now: Date.now }));
  const webhook = { workspaceId: 1n, types: undefined, description: undefined, secret: 's' };
  await database.write(background, 'createWebhook', {
    ...webhook,
    ...{ url: 'https://shop.example/hook', now: 0 },
  });
  const origin = { requestId: 'request', actor: 'owner', now: 0 } as const;
  for (let count = 0; count < events; count += 1) {
    const pet = { name: 'Rex', categoryId: 1n };
    await database.write(background, 'createPet', { workspaceId: 1n, pet, origin });
  }
  const sent: string[] = [];
  const errors: unknown[] = [];
  const attempts = { send: async (_attempt: WebhookAttempt, _signal: AbortSignal) => delivered };
  const start = (server: string, { hasFixedName = false, on = database } = {}) =>
    startDeliverer({
      ...{ database: on, server, hasFixedName, now: Date.now, random: () => 0.5 },
      send(attempt, signal) {
        sent.push(attempt.eventId);
        return attempts.send(attempt, signal);
      },
      waitForWork: () => new Promise((resolve) => setImmediate(resolve)),
      onStatus: () => {},
      onGivenUp: () => {},
      onError: (error) => errors.push(error),
    });
  const read = async () => (await database.listWebhooks(background, 1n))[0];
  const owned = stack.move();
  return {
    ...{ database, sent, errors, attempts, start, read },
    /** Waits until so many attempts have begun. */
    async begun(count: number): Promise<void> {
      while (sent.length < count) await new Promise(setImmediate);
    },
    async isAt(position: number): Promise<void> {
      while ((await read())?.position !== position) await new Promise(setImmediate);
    },
    isDue: () => database.hasDueWebhooks(background, Date.now()),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

const never = () => new Promise<never>(() => {});

describe('a server that stops', () => {
  test('waits for its attempts, begins no more, records their results, and ends its leases', async () => {
    await using shop = await openShop({ events: 20 });
    const held = Promise.withResolvers<AttemptResult>();
    shop.attempts.send = async (_attempt, signal) => {
      const result = await held.promise;
      signal.throwIfAborted();
      return result;
    };
    const server = shop.start('one');
    await shop.begun(5);
    const stopped = server.stop(never());
    for (let turns = 0; turns < 20; turns += 1) await new Promise(setImmediate);
    expect(await shop.isDue()).toBe(false);
    held.resolve(delivered);
    await stopped;
    expect([shop.sent.length, (await shop.read())?.position]).toEqual([5, 5]);
    expect(await shop.isDue()).toBe(true);
  });

  test('ends its attempts in time, and the next server repeats these events', async () => {
    await using shop = await openShop({ events: 5 });
    const aborted: boolean[] = [];
    shop.attempts.send = (_attempt, signal) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          aborted.push(true);
          reject(signal.reason);
        });
      });
    const first = shop.start('one');
    await shop.begun(5);
    await first.stop(Promise.resolve());
    expect([aborted.length, shop.errors]).toEqual([5, []]);
    const begun = shop.sent.splice(0);
    shop.attempts.send = async () => delivered;
    const second = shop.start('two');
    await shop.isAt(5);
    await second.stop(never());
    expect(shop.sent.toSorted()).toEqual(begun.toSorted());
  });
});

test('a server with the name of one that was killed begins with its webhooks at once, and another one does not', async () => {
  await using shop = await openShop();
  await shop.database.write(background, 'leaseWebhooks', {
    ...{ holder: 'one/1', now: Date.now(), enabledMax: 1, failingMax: 1 },
  });
  const other = shop.start('two', { hasFixedName: true });
  for (let turns = 0; turns < 20; turns += 1) await new Promise(setImmediate);
  await other.stop(never());
  expect(shop.sent).toEqual([]);
  const same = shop.start('one', { hasFixedName: true });
  await shop.isAt(3);
  await same.stop(never());
  expect(shop.sent).toHaveLength(3);
});

test('a result is recorded when storage is available again, and its event is not sent twice', async () => {
  await using shop = await openShop();
  let failures = 3;
  const on: Database = new Proxy(shop.database, {
    get(target, name) {
      const member = Reflect.get(target, name);
      if (name !== 'write') return member;
      return (...input: unknown[]) => {
        if (input[1] !== 'saveDeliveries' || failures === 0)
          return Reflect.apply(member, target, input);
        failures -= 1;
        return Promise.reject(new DatabaseUnavailable('the disk is away'));
      };
    },
  });
  const server = shop.start('one', { on });
  await shop.isAt(3);
  await server.stop(never());
  expect([failures, shop.sent.length, new Set(shop.sent).size]).toEqual([0, 3, 3]);
  expect(shop.errors).toMatchObject([{ message: 'the disk is away' }]);
});
