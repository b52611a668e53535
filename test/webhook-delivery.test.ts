import { describe, expect, test } from 'bun:test';
import { readFileSync, writeFileSync } from 'node:fs';
import fc from 'fast-check';
import { pino } from 'pino';
import { background } from '../src/context/context.ts';
import { createEventRetention } from '../src/server/event-retention.ts';
import { engineNames, type TestData } from './support/engines.ts';
import { okOf } from './support/outcome.ts';
import { startReceiver } from './support/webhook-receiver.ts';
import { openWebhookShop } from './support/webhook-shop.ts';

const minute = 60_000;
const hour = 60 * minute;
/** Lets a receiver answer nothing until `release` is called. It has begun with so many requests. */
function holdAnswers(receiver: ReturnType<typeof startReceiver>, requests = 1) {
  const [begun, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  receiver.answer = async () => {
    if (receiver.received.length === requests) begun.resolve();
    await released.promise;
    return new Response(null, { status: 204 });
  };
  return { begun: begun.promise, release: released.resolve };
}

/** Resolves when a receiver has an event. */
function untilReceived(receiver: ReturnType<typeof startReceiver>, last: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  receiver.answer = ({ sequence }) => {
    if (sequence === last) resolve();
    return new Response(null, { status: 204 });
  };
  return promise;
}

/** Copies the first webhook so often that a workspace could not have as many, the last time with another address. */
async function copyWebhook(
  shop: Awaited<ReturnType<typeof openWebhookShop>>,
  count: number,
  lastUrl: string,
): Promise<void> {
  for (let id = 2; id <= count + 1; id += 1) {
    const url = id <= count ? 'url' : `'${lastUrl}'`;
    const others = 'secret, position, revision, created_at, digest, status';
    await shop.sql(`
      INSERT INTO webhooks (workspace_id, id, url, ${others})
      SELECT workspace_id, ${id}, ${url}, ${others} FROM webhooks WHERE id = 1`);
  }
}

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);
const status = (code: number) => () => new Response('no', { status: code });

describe.each(engineNames)('webhooks on %s', (engine) => {
  test('an endpoint gets each event signed, once and in order, as the feed stores it', async () => {
    await using shop = await openWebhookShop(engine);
    using receiver = startReceiver();
    await shop.addWebhook(receiver.url);
    shop.start();
    await shop.addAnimals(30);
    await shop.deliver();
    expect(receiver.sequences().toSorted((left, right) => left - right)).toEqual(upTo(30));
    const page = await shop.database.readEvents(background, 1n, { after: 0, limit: 30 });
    const texts = page !== undefined && 'events' in page ? page.events.map(({ json }) => json) : [];
    expect(receiver.received.map(({ body }) => body).toSorted()).toEqual(texts.toSorted());
    for (const { body, id } of receiver.received) {
      expect(JSON.parse(body).id).toBe(id);
      expect(body).toContain('9223372036854775807');
    }
    expect((await shop.read()).position).toBe(30);
  });

  test('an attempt is in the list of deliveries once if the outcome of its record is unknown', async () => {
    await using shop = await openWebhookShop(engine);
    using receiver = startReceiver();
    await shop.addWebhook(receiver.url);
    shop.start();
    await shop.addAnimals(1);
    shop.loseOutcomeOf('saveDeliveries');
    await shop.deliver();
    const page = await shop.database.readDeliveryPage(background, 1n, 1n, { limit: 9 });
    expect(page?.items.map(({ eventId }) => eventId)).toEqual([receiver.received[0]?.id ?? '']);
    expect(receiver.received).toHaveLength(1);
  });

  test('two servers with one database deliver each event once', async () => {
    await using shop = await openWebhookShop(engine);
    using receiver = startReceiver();
    await shop.addWebhook(receiver.url);
    shop.start('one');
    await shop.addAnimals(3);
    const [held] = (
      await shop.database.write(background, 'leaseWebhooks', {
        holder: 'two/1',
        now: shop.clock.now,
        enabledMax: 20,
        failingMax: 20,
      })
    ).ok;
    expect(held?.readTo).toBe(0);
    await shop.deliver();
    expect(receiver.received).toEqual([]);
    await shop.database.write(background, 'releaseWebhooks', { server: 'two' });
    await shop.deliver();
    expect(receiver.sequences()).toHaveLength(3);
  });
});

describe.each(engineNames)('with --event-days 0 on %s', (engine) => {
  test('an endpoint that rejects an event, and is down for two days, gets all events, which are deleted then', async () => {
    await using shop = await openWebhookShop(engine);
    using receiver = startReceiver();
    const clock = () => shop.clock.now;
    const silent = pino({ level: 'silent' });
    const deleteOldEvents = createEventRetention(shop.database, 0, silent, clock, clock);
    const stored = async () => {
      const page = await shop.database.readEvents(background, 1n, { limit: 100 });
      const found = page !== undefined && 'events' in page ? page.events : [];
      return found.map(({ sequence }) => sequence);
    };
    const pass = async (hours: number) => {
      for (let passed = 0; passed < hours; passed += 1) {
        await deleteOldEvents(background);
        await shop.pass(hour, hour);
        await deleteOldEvents(background);
      }
    };
    await shop.addWebhook(receiver.url);
    shop.start();
    receiver.answer = ({ sequence }) => new Response(null, { status: sequence === 3 ? 500 : 204 });
    await shop.addAnimals(5);
    await shop.deliver();
    shop.clock.now += 1;
    await deleteOldEvents(background);
    expect(await stored()).toEqual([3, 4, 5]);
    receiver.answer = status(204);
    await pass(1);
    expect(receiver.sequences().filter((sequence) => sequence === 3)).toHaveLength(2);
    expect(await stored()).toEqual([]);

    receiver.answer = status(503);
    await shop.addAnimals(10);
    await pass(48);
    expect(await shop.read()).toMatchObject({ status: 'failing', position: 5 });
    receiver.received.length = 0;
    receiver.answer = status(204);
    await pass(24);
    expect(receiver.sequences().toSorted((left, right) => left - right)).toEqual([
      ...upTo(15).slice(5),
    ]);
    expect(await shop.read()).toMatchObject({ status: 'enabled', position: 15 });
    expect(await stored()).toEqual([]);
  });
});

describe('webhooks', () => {
  test('an event that an endpoint rejects does not hold the others, is retried and given up', async () => {
    await using shop = await openWebhookShop();
    using receiver = startReceiver();
    await shop.addWebhook(receiver.url);
    shop.start();
    receiver.answer = ({ sequence }) => new Response(null, { status: sequence === 2 ? 500 : 204 });
    await shop.addAnimals(20);
    await shop.deliver();
    expect(await shop.read()).toMatchObject({ status: 'enabled', position: 20 });
    for (let step = 0; step < 120; step += 1) {
      // Other events succeed in between.
      await shop.addAnimals(1);
      await shop.pass(hour, hour);
    }
    const attempts = receiver.received.filter(({ sequence }) => sequence === 2);
    expect(attempts).toHaveLength(10);
    expect(new Set(attempts.map(({ id }) => id)).size).toBe(1);
    expect((await shop.read()).status).toBe('enabled');
    const failed = [];
    for (let afterId: bigint | undefined; ; ) {
      const page = await shop.database.readDeliveryPage(background, 1n, 1n, {
        limit: 100,
        afterId,
      });
      failed.push(...(page?.items ?? []).filter(({ httpStatus }) => httpStatus === 500));
      afterId = page?.nextAfterId;
      if (afterId === undefined) break;
    }
    expect(failed.map(({ attempt }) => attempt).toSorted((a, b) => a - b)).toEqual(upTo(10));
    expect(failed.filter(({ error }) => error === 'gave_up')).toHaveLength(1);
    expect(shop.givenUp).toEqual(attempts.slice(0, 1).map(({ id }) => id));
  });

  test('an event that failed is sent again at its time, although later events keep the endpoint busy', async () => {
    await using shop = await openWebhookShop();
    using receiver = startReceiver();
    let attempts = 0;
    receiver.answer = async ({ sequence }) => {
      if (sequence === 1) {
        attempts += 1;
        return new Response(null, { status: attempts === 1 ? 500 : 204 });
      }
      // The next event is there before this one ends.
      if (sequence < 60) await shop.addAnimals(1);
      shop.clock.now += 1000;
      return new Response(null, { status: 204 });
    };
    await shop.addWebhook(receiver.url);
    await shop.addAnimals(2);
    shop.start();
    await shop.deliver();
    expect(receiver.sequences().lastIndexOf(1)).toBeWithin(5, 15);
    expect((await shop.read()).position).toBe(60);
  });

  test('an event that an endpoint always rejects does not block the next one, also if it was alone for hours', async () => {
    await using shop = await openWebhookShop();
    using receiver = startReceiver();
    await shop.addWebhook(receiver.url);
    shop.start();
    receiver.answer = ({ sequence }) => new Response(null, { status: sequence === 1 ? 500 : 204 });
    await shop.addAnimals(1);
    await shop.pass(4 * hour);
    expect(await shop.read()).toMatchObject({ status: 'failing', position: 0 });
    await shop.addAnimals(1);
    await shop.pass(6 * hour);
    expect(receiver.sequences()).toContain(2);
    expect(await shop.read()).toMatchObject({ status: 'enabled', position: 2 });
  });

  test('every event is accepted in the end, after any answers, changes, ended leases and restarts', async () => {
    // Down, overloaded, or one that rejects some events, or some requests.
    const answers = fc.constantFrom<(sequence: number, request: number) => number>(
      () => 204,
      () => 500,
      () => 503,
      (sequence) => (sequence % 3 === 1 ? 500 : 204),
      (_sequence, request) => (request % 2 === 0 ? 500 : 204),
    );
    const action = fc.oneof(
      fc.record({ kind: fc.constant('add' as const), count: fc.integer({ min: 1, max: 8 }) }),
      fc.record({ kind: fc.constant('answer' as const), answer: answers }),
      fc.record({ kind: fc.constant('pass' as const), minutes: fc.constantFrom(1, 6, 40, 200) }),
      fc.record({
        kind: fc.constant('during' as const),
        change: fc.constantFrom('expire', 'patch', 'rotate', 'test', 'restart'),
      }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(action, { maxLength: 30, size: 'max' }), async (actions) => {
        await using shop = await openWebhookShop('sqlite');
        using receiver = startReceiver();
        const accepted = new Set<number>();
        let statusOf = (_sequence: number, _request: number) => 204;
        let held: PromiseWithResolvers<void> | undefined;
        let count = 0;
        receiver.answer = async ({ sequence }) => {
          const answer = statusOf(sequence, receiver.received.length);
          await held?.promise;
          if (answer === 204) accepted.add(sequence);
          return new Response(null, { status: answer });
        };
        await shop.addWebhook(receiver.url);
        let server = shop.start();
        const one = { workspaceId: 1n, id: 1n, precondition: {} };
        const changes = {
          expire: () => shop.sql('UPDATE webhooks SET lease_until = 1'),
          patch: () =>
            shop.database.write(background, 'updateWebhook', {
              ...{ ...one, now: shop.clock.now },
              changes: { url: `${receiver.url}/${shop.clock.now}`, status: 'enabled' },
            }),
          rotate: () =>
            shop.database.write(background, 'rotateWebhookSecret', {
              ...{ ...one, now: shop.clock.now },
              ...{ secret: `whsec_${'A'.repeat(43)}=`, overlapSeconds: 0 },
            }),
          test: () => shop.database.write(background, 'probeWebhook', one),
          async restart() {
            await shop.stop(server);
            server = shop.start();
          },
        } as const;
        const run = {
          add: async (added: number) => {
            await shop.addAnimals(added);
            count += added;
          },
          async during(change: keyof typeof changes) {
            held = Promise.withResolvers();
            await run.add(3);
            shop.clock.now += 5000;
            await shop.wake();
            for (let turns = 0; turns < 20; turns += 1) await shop.turn();
            await changes[change]();
            await shop.wake();
            for (let turns = 0; turns < 20; turns += 1) await shop.turn();
            held.resolve();
            held = undefined;
            await shop.deliver();
          },
        };
        for (const step of actions) {
          if (step.kind === 'add') await run.add(step.count);
          else if (step.kind === 'answer') statusOf = step.answer;
          else if (step.kind === 'pass')
            await shop.pass(step.minutes * minute, step.minutes * minute);
          else await run.during(step.change as keyof typeof changes);
        }
        statusOf = () => 204;
        await shop.pass(60 * hour, hour);
        expect([...accepted].toSorted((left, right) => left - right)).toEqual(upTo(count));
        expect(await shop.read()).toMatchObject({ status: 'enabled', position: count });
      }),
      { numRuns: 20 },
    );
  });

  test('an endpoint that is down for three days gets at most 15 requests, and is disabled after five', async () => {
    await using shop = await openWebhookShop();
    using receiver = startReceiver();
    await shop.addWebhook(receiver.url);
    shop.start();
    receiver.answer = status(503);
    await shop.addAnimals(10);
    await shop.pass(72 * hour, hour);
    expect(receiver.received.length).toBeLessThanOrEqual(15);
    await shop.pass(47 * hour, hour);
    expect((await shop.read()).status).toBe('failing');
    await shop.pass(25 * hour, hour);
    expect((await shop.read()).status).toBe('disabled');
  });

  test('if events at its position were deleted, an endpoint is disabled, and the event names them', async () => {
    await using shop = await openWebhookShop();
    using receiver = startReceiver();
    await shop.addWebhook(receiver.url);
    shop.start();
    receiver.answer = status(503);
    await shop.addAnimals(10);
    await shop.deliver();
    await shop.database.write(background, 'deleteOldEvents', {
      before: shop.clock.now + 1,
      eventsMax: 4,
    });
    await shop.pass(hour);
    expect((await shop.read()).status).toBe('disabled');
    const page = await shop.database.readEvents(background, 1n, { after: 10, limit: 5 });
    const [last] = page !== undefined && 'events' in page ? page.events : [];
    expect(JSON.parse(last?.json ?? '{}').data).toEqual({
      ...{ id: 1, reason: 'events_deleted' },
      ...{ firstMissed: 1, lastMissed: 4 },
    });
  });

  test('a webhook gets only the events of its types, and its position passes the others', async () => {
    await using shop = await openWebhookShop();
    using receiver = startReceiver();
    await shop.addWebhook(receiver.url, ['order.*', 'category.created']);
    shop.start();
    await shop.addAnimals(1500);
    const order = { petId: 7n, shipDate: undefined, note: undefined };
    const origin = { requestId: 'r', actor: 'owner', sessionId: undefined, now: 1 } as const;
    await shop.database.write(background, 'createOrder', { workspaceId: 1n, order, origin });
    await shop.deliver();
    expect(receiver.sequences()).toEqual([1501]);
    expect((await shop.read()).position).toBe(1502);
  });

  test('an endpoint that hangs delays no other', async () => {
    await using shop = await openWebhookShop();
    using hanging = startReceiver();
    using healthy = startReceiver();
    const { release } = holdAnswers(hanging);
    const all = untilReceived(healthy, 50);
    await shop.addWebhook(hanging.url);
    await shop.addWebhook(healthy.url);
    await shop.addAnimals(50);
    shop.start();
    const delivered = shop.deliver();
    await all;
    expect(hanging.received.length).toBe(5);
    release();
    await delivered;
    expect(hanging.received.length).toBe(50);
  });

  test('many endpoints that hang delay no other', async () => {
    await using shop = await openWebhookShop('sqlite');
    using hanging = startReceiver();
    using healthy = startReceiver();
    const { release } = holdAnswers(hanging);
    const all = untilReceived(healthy, 50);
    await shop.addWebhook(hanging.url);
    await copyWebhook(shop, 39, healthy.url);
    await shop.addAnimals(50);
    shop.start();
    const delivered = shop.deliver();
    await all;
    expect(hanging.received.length).toBeWithin(39, 140);
    release();
    await delivered;
  });

  test('more busy endpoints than a server works on at once take turns', async () => {
    await using shop = await openWebhookShop('sqlite');
    using slow = startReceiver();
    using healthy = startReceiver();
    let answered = Promise.withResolvers<void>();
    slow.answer = async () => {
      await answered.promise;
      return new Response(null, { status: 204 });
    };
    const first = Promise.withResolvers<void>();
    healthy.answer = () => {
      first.resolve();
      return new Response(null, { status: 204 });
    };
    await shop.addWebhook(slow.url);
    await copyWebhook(shop, 100, healthy.url);
    await shop.addAnimals(20);
    shop.start();
    const delivered = shop.deliver();
    while (slow.received.length < 100) await shop.turn();
    shop.clock.now += 10_000;
    const { resolve } = answered;
    answered = Promise.withResolvers();
    resolve();
    while (healthy.received.length === 0) await shop.wake();
    await first.promise;
    answered.resolve();
    await delivered;
  });

  test('an attempt without an answer does not delay later events', async () => {
    await using shop = await openWebhookShop();
    using receiver = startReceiver();
    const released = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    const next = Promise.withResolvers<void>();
    receiver.answer = async ({ sequence }) => {
      if (sequence === 2) next.resolve();
      begun.resolve();
      if (sequence === 1) await released.promise;
      return new Response(null, { status: 204 });
    };
    await shop.addWebhook(receiver.url);
    await shop.addAnimals(1);
    shop.start();
    const delivered = shop.deliver();
    await begun.promise;
    await shop.addAnimals(1);
    await shop.wake();
    await next.promise;
    released.resolve();
    await delivered;
    const answers = (await shop.deliveries()).map(({ httpStatus }) => httpStatus);
    expect(answers).toEqual([204, 204]);
    expect((await shop.read()).position).toBe(2);
  });

  test('a server that acquires a webhook again after its lease ended ignores the results of its earlier attempts', async () => {
    await using shop = await openWebhookShop();
    using receiver = startReceiver();
    const [late, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    receiver.answer = async ({ sequence }) => {
      const isFirst = receiver.received.length === 1;
      if (isFirst) await late.promise;
      if (sequence === 2) await held.promise;
      return new Response(null, { status: isFirst ? 500 : 204 });
    };
    await shop.addWebhook(receiver.url);
    await shop.addAnimals(1);
    shop.start();
    const delivered = shop.deliver();
    while (receiver.received.length < 1) await shop.turn();
    // As after a jump of the clock.
    await shop.sql('UPDATE webhooks SET lease_until = 1');
    await shop.addAnimals(1);
    await shop.wake();
    while ((await shop.read()).position === 0) await shop.wake();
    late.resolve();
    for (let turns = 0; turns < 20; turns += 1) await shop.turn();
    held.resolve();
    await delivered;
    await shop.pass(hour);
    const statuses = (await shop.deliveries()).map(({ httpStatus }) => httpStatus);
    expect(new Set(statuses)).toEqual(new Set([204]));
    expect(receiver.sequences().filter((sequence) => sequence === 1)).toHaveLength(2);
  });

  test('a server extends the lease of a webhook whose attempts take long', async () => {
    await using shop = await openWebhookShop();
    using receiver = startReceiver();
    const { begun, release } = holdAnswers(receiver);
    await shop.addWebhook(receiver.url);
    await shop.addAnimals(1);
    shop.start();
    const delivered = shop.deliver();
    await begun;
    const until = Date.now() + 30_000;
    await shop.sql(`UPDATE webhooks SET lease_until = ${until}`);
    shop.clock.now += 20_000;
    const readUntil = async () => {
      const [row] = await shop.sql('SELECT lease_until AS until FROM webhooks');
      return Number(row?.until);
    };
    while ((await readUntil()) === until) await shop.wake();
    expect(await readUntil()).toBeGreaterThan(until);
    release();
    await delivered;
    expect(receiver.sequences()).toEqual([1]);
  });

  test('a change by a client during an attempt is kept: the attempt is repeated to the new address, and later events are sent only there', async () => {
    await using shop = await openWebhookShop();
    using old = startReceiver();
    using next = startReceiver();
    const { begun, release } = holdAnswers(old);
    await shop.addWebhook(old.url);
    await shop.addAnimals(1);
    shop.start();
    const delivered = shop.deliver();
    await begun;
    await shop.database.write(background, 'updateWebhook', {
      ...{ workspaceId: 1n, id: 1n, precondition: {}, now: shop.clock.now },
      changes: { url: next.url },
    });
    // No later event is sent to the old address.
    await shop.addAnimals(1);
    await shop.wake();
    while (next.received.length < 2) await shop.wake();
    // The attempt at the old address has ended, so that changes do not fill the server with attempts.
    while (shop.sendingCount() > 0) await shop.wake();
    release();
    await delivered;
    await shop.deliver();
    expect(next.sequences().toSorted()).toEqual([1, 2]);
    expect(old.sequences()).toEqual([1]);
  });
});

/** Adds 300 animals with events after the position of a webhook, and damages the page of the event in the middle. */
async function damageFeed(data: TestData, url: string): Promise<void> {
  {
    await using database = await data.open();
    const now = Date.UTC(2026, 10, 22);
    const types = undefined;
    const webhook = { workspaceId: 1n, url, types, description: undefined, secret: 's', now };
    await database.write(background, 'createWebhook', webhook);
    const origin = { requestId: 'r', actor: 'owner', sessionId: undefined, now } as const;
    const pet = { name: 'Rex', categoryId: 1n };
    const adding = upTo(300).map(() =>
      database.write(background, 'createPet', { workspaceId: 1n, pet, origin }),
    );
    await Promise.all(adding);
  }
  const path = data.url.slice('sqlite:'.length);
  const bytes = readFileSync(path);
  const page = Math.floor(bytes.indexOf('"evt_150_') / 4096) * 4096;
  writeFileSync(path, bytes.fill(0xff, page, page + 8));
}

test('an endpoint that is down for three days gets at most 15 requests, and then all events in order', async () => {
  const events = 2000;
  await using shop = await openWebhookShop();
  using receiver = startReceiver();
  await shop.addWebhook(receiver.url);
  shop.start();
  receiver.answer = status(500);
  await shop.addAnimals(events);
  await shop.pass(72 * hour, hour / 12);
  expect(receiver.received.length).toBeLessThanOrEqual(15);
  expect(await shop.read()).toMatchObject({ status: 'failing' });
  receiver.received.length = 0;
  receiver.answer = status(204);
  await shop.pass(24 * hour, hour);
  expect(await shop.read()).toMatchObject({ position: events });
  const sequences = receiver.sequences();
  expect(sequences.toSorted((left, right) => left - right)).toEqual(upTo(events));
  // Five are in flight at once.
  const early = sequences.filter((sequence, index) => Math.abs(sequence - index - 1) >= 5);
  expect(early).toEqual([]);
});

test('a feed that is damaged stops its own webhooks only, and each is tried once a minute', async () => {
  using damaged = startReceiver();
  using healthy = startReceiver();
  await using shop = await openWebhookShop('sqlite', (data) => damageFeed(data, damaged.url));
  const { database, clock, errors } = shop;
  const made = await database.write(background, 'createWorkspace', {
    name: 'other',
    now: clock.now,
  });
  const { id: workspaceId } = okOf(made);
  const { url } = healthy;
  const types = undefined;
  const webhook = { workspaceId, url, types, description: undefined, secret: 's', now: clock.now };
  await database.write(background, 'createWebhook', webhook);
  shop.start();
  for (let minutes = 1; minutes <= 3; minutes += 1) {
    const origin = {
      requestId: 'r',
      actor: 'owner',
      sessionId: undefined,
      now: clock.now,
    } as const;
    await database.write(background, 'createPet', {
      workspaceId,
      pet: { name: 'Max', categoryId: 1n },
      origin,
    });
    for (let look = 1; look <= 3; look += 1) await shop.deliver().catch(() => {});
    expect(healthy.sequences()).toEqual(upTo(minutes));
    expect(errors).toHaveLength(minutes);
    expect(errors.at(-1)).toMatchObject({ name: 'DatabaseUnavailable', isDamaged: true });
    // Its lease ends after a minute.
    await shop.sql('UPDATE webhooks SET lease_holder = NULL WHERE workspace_id = 1');
  }
  // What could be read is not sent again.
  const sent = damaged.sequences();
  expect(new Set(sent).size).toBe(sent.length);
  expect((await shop.read()).position).toBe(sent.length);
});
