import { describe, expect, test } from 'bun:test';
import { AnimalStoreError, createAnimalStore, type StoreEvent } from '../client/src/index.ts';
import { createBackwardReader, type EventFilter } from '../console/src/history/read-back.ts';
import { background } from '../src/context/context.ts';
import type { TestApp } from './support/test-app.ts';
import { openTestServer, type TestServer } from './support/test-server.ts';

/** A feed of 3000 events: animal 1 changes rarely, animal 2 often, and there are six categories. */
async function fillFeed({ database, now }: TestApp): Promise<void> {
  const origin = { requestId: 'request', actor: 'owner', now } as const;
  const write = { workspaceId: 1n, origin, precondition: {} } as const;
  const pet = { name: 'Rex', categoryId: 1n };
  for (let count = 0; count < 2; count += 1)
    await database.write(background, 'createPet', { ...write, pet });
  for (let part = 0; part < 6; part += 1) {
    const names = Array.from({ length: part === 0 ? 497 : 499 }, (_, index) => `Rex ${index}`);
    await database.write(background, 'createCategory', {
      ...write,
      category: { name: `Category ${part}` },
    });
    await Promise.all(
      names.map((name, index) => {
        const id = part === 0 || index % 150 === 0 ? 1n : 2n;
        return database.write(background, 'updatePet', {
          ...write,
          id,
          changes: { name: `${name} ${part}` },
        });
      }),
    );
  }
}

function eventsOf({ app, port }: TestServer) {
  const baseUrl = `http://127.0.0.1:${port}/v1`;
  return createAnimalStore({ baseUrl, apiKey: app.apiKey }).events;
}

const sequencesOf = (events: readonly StoreEvent[]) =>
  events.map(({ sequence }) => Number(sequence));

describe('the events of a feed, read from its end', () => {
  test.each<[string, EventFilter, (event: StoreEvent) => boolean, number]>([
    ['all', {}, () => true, 33],
    ['of a kind', { types: ['category.*'] }, ({ type }) => type === 'category.created', 10],
    ['of a record that changes often', { record: 'pet:2' }, (event) => idOf(event) === 2n, 45],
    ['of a record with many old events', { record: 'pet:1' }, (event) => idOf(event) === 1n, 25],
  ])('are complete, newest first: %s', async (_name, filter, isWanted, requestsMax) => {
    await using server = await openTestServer();
    await fillFeed(server.app);
    const feed = eventsOf(server);
    const wanted: number[] = [];
    for (let after = 0n; after < 3000n; after += 100n) {
      const { events } = await feed.list({ after, limit: 100 });
      wanted.unshift(...sequencesOf(events.filter(isWanted)).reverse());
    }
    const before = server.dispatched.length;
    const reader = createBackwardReader(feed, filter);
    const found: number[] = [];
    for (let calls = 0; !reader.isComplete && calls < 60; calls += 1) {
      const part = sequencesOf(await reader.read(100)).sort((left, right) => right - left);
      // Each part is older than the parts before it.
      expect(part[0] ?? 0).toBeLessThan(found.at(-1) ?? 3001);
      found.push(...part);
    }
    expect(found).toEqual(wanted);
    expect(reader.beginsAt).toBeUndefined();
    expect(server.dispatched.length - before).toBeLessThanOrEqual(requestsMax);
  });

  test('end where the server has deleted older ones, also during the read', async () => {
    await using server = await openTestServer();
    const { app } = server;
    await fillFeed(app);
    const deletion = { before: app.now + 1, eventsMax: 1000 };
    await app.database.write(background, 'deleteOldEvents', deletion);
    const reader = createBackwardReader(eventsOf(server), {});
    const found = sequencesOf(await reader.read(100));
    await app.database.write(background, 'deleteOldEvents', deletion);
    while (!reader.isComplete) found.push(...sequencesOf(await reader.read(500)));
    expect(found.sort((left, right) => left - right)).toEqual(
      Array.from({ length: 1000 }, (_, index) => 2001 + index),
    );
    expect(reader.beginsAt).toBe(new Date(app.now).toISOString());
  });

  test('are none if the server keeps none', async () => {
    await using server = await openTestServer();
    const off = new AnimalStoreError('cursor_expired', 'This server keeps no events');
    const list = () => Promise.reject(off);
    const reader = createBackwardReader({ ...eventsOf(server), list }, {});
    expect(await reader.read(100)).toEqual([]);
    expect([reader.isComplete, reader.beginsAt]).toEqual([true, undefined]);
  });

  test('have no gap after a request that failed', async () => {
    await using server = await openTestServer();
    await fillFeed(server.app);
    const feed = eventsOf(server);
    let requests = 0;
    const list: typeof feed.list = (request) => {
      requests += 1;
      return requests % 3 === 0 ? Promise.reject(new Error('cut')) : feed.list(request);
    };
    const reader = createBackwardReader({ ...feed, list }, {});
    const found: number[] = [];
    while (!reader.isComplete) {
      found.push(...sequencesOf(await reader.read(500).catch(() => [])));
    }
    expect(found.sort((left, right) => left - right)).toEqual(
      Array.from({ length: 3000 }, (_, index) => 1 + index),
    );
  });
});

/** The number of the animal of an event. */
function idOf({ type, data }: StoreEvent): unknown {
  return type.startsWith('pet.') && 'id' in data ? data.id : undefined;
}
