import { describe, expect, test } from 'bun:test';
import { pino } from 'pino';
import { prepareData } from '../../test/support/engines.ts';
import { okOf } from '../../test/support/outcome.ts';
import { background } from '../context/context.ts';
import { createEventRetention } from './event-retention.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** A feed that a server keeps for 30 days, called each minute as maintenance does, with both clocks set by the test. */
async function openFeed(eventDays = 30) {
  await using opening = new AsyncDisposableStack();
  const data = opening.use(await prepareData());
  const database = opening.use(await data.open());
  const clock = { now: Date.UTC(2026, 10, 21), steady: 0 };
  const log: unknown[] = [];
  const start = () =>
    createEventRetention(
      database,
      eventDays,
      pino({ base: null, timestamp: false }, { write: (line) => log.push(JSON.parse(line)) }),
      () => clock.now,
      () => clock.steady,
    );
  let deleteOldEvents = start();
  const open = opening.move();
  return {
    clock,
    log,
    restart() {
      deleteOldEvents = start();
    },
    addWorkspace: async () =>
      okOf(await database.write(background, 'createWorkspace', { name: 'other', now: clock.now }))
        .id,
    async add(count: number, workspaceId = 1n) {
      for (let index = 0; index < count; index += 1) {
        const origin = { requestId: 'request', actor: 'owner', now: clock.now } as const;
        const pet = { name: 'Rex', categoryId: 1n };
        await database.write(background, 'createPet', { workspaceId, pet, origin });
      }
    },
    /** Both clocks advance, with a call each minute. */
    async pass(milliseconds: number) {
      for (let passed = 0; passed < milliseconds; passed += minute) {
        clock.now += minute;
        clock.steady += minute;
        await deleteOldEvents(background);
      }
    },
    /** Adds a webhook that no server delivers to. */
    async addWebhook(status: 'enabled' | 'paused') {
      const secret = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=';
      const input = { workspaceId: 1n, url: 'https://a.example/', secret, now: clock.now };
      const chosen = { types: undefined, description: undefined };
      const { id } = okOf(
        await database.write(background, 'createWebhook', { ...input, ...chosen }),
      );
      const change = { workspaceId: 1n, id, changes: { status }, precondition: {} };
      okOf(await database.write(background, 'updateWebhook', { ...change, now: clock.now }));
    },
    async sequences(workspaceId = 1n) {
      const found = await database.readEvents(background, workspaceId, { limit: 100 });
      return found === undefined || 'expired' in found
        ? []
        : found.events.map(({ sequence }) => sequence);
    },
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}

describe('events', () => {
  // The hour of the wrong clock is also the hour between two deletions, or lies across one.
  test.each([3, 2.5])(
    'are kept by a server whose clock is 40 days ahead for less than an hour, after %p hours',
    async (hours) => {
      await using feed = await openFeed();
      await feed.add(3);
      await feed.pass(hours * hour);
      feed.clock.now += 40 * day;
      await feed.pass(59 * minute);
      feed.clock.now -= 40 * day;
      await feed.pass(3 * hour);
      expect(await feed.sequences()).toEqual([1, 2, 3]);
      expect(feed.log).toEqual([]);
    },
  );

  test('are kept for the first hour after a start, and are deleted after it with one line in the log', async () => {
    await using feed = await openFeed();
    await feed.add(3);
    feed.clock.now += 20 * day;
    await feed.add(2);
    feed.clock.now += 11 * day;
    feed.restart();
    await feed.pass(59 * minute);
    expect(await feed.sequences()).toEqual([1, 2, 3, 4, 5]);
    await feed.pass(minute);
    expect(await feed.sequences()).toEqual([4, 5]);
    expect(feed.log).toEqual([
      { level: 30, workspace: 'default', first: 1, last: 3, count: 3, msg: 'deleted old events' },
    ]);
  });

  test('are kept if only a clock that was behind for a moment makes them old', async () => {
    await using feed = await openFeed();
    await feed.add(1);
    feed.clock.now += 31 * day;
    await feed.add(30);
    feed.clock.now -= 40 * day;
    await feed.add(1);
    feed.clock.now += 40 * day;
    await feed.pass(3 * hour);
    expect((await feed.sequences())[0]).toBe(2);
  });

  test('are deleted at once, without a line in the log, if they are kept for 0 days', async () => {
    await using feed = await openFeed(0);
    await feed.add(3);
    await feed.pass(minute);
    expect(await feed.sequences()).toEqual([]);
    expect(feed.log).toEqual([]);
  });

  test.each([0, 1, 6])(
    'that a webhook has not received are kept for a week, if others are kept for %p days',
    async (days) => {
      await using feed = await openFeed(days);
      await feed.add(2);
      await feed.addWebhook('enabled');
      await feed.add(3);
      feed.clock.now += 6 * day + 12 * hour;
      await feed.pass(2 * hour);
      expect(await feed.sequences()).toEqual([3, 4, 5]);
      // A server starts with a wrong clock, which is corrected within the hour.
      feed.clock.now += 40 * day;
      feed.restart();
      await feed.pass(59 * minute);
      feed.clock.now -= 40 * day;
      await feed.pass(2 * hour);
      expect(await feed.sequences()).toEqual([3, 4, 5]);
      feed.clock.now += 12 * hour;
      await feed.pass(2 * hour);
      expect(await feed.sequences()).toEqual([]);
    },
  );

  test('that only a paused webhook has not received are not kept longer', async () => {
    await using feed = await openFeed(0);
    await feed.addWebhook('paused');
    await feed.add(3);
    await feed.pass(minute);
    expect(await feed.sequences()).toEqual([]);
  });

  test('of one workspace are kept for its webhook, and not those of another', async () => {
    await using feed = await openFeed(0);
    const other = await feed.addWorkspace();
    await feed.addWebhook('enabled');
    await feed.add(3);
    await feed.add(3, other);
    await feed.pass(minute);
    expect([await feed.sequences(), await feed.sequences(other)]).toEqual([[1, 2, 3], []]);
  });
});
