import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { background } from '../src/context/context.ts';
import type { DeliveryState, HeldWebhook, NewDelivery } from '../src/domain/webhook.ts';
import type { CommandInput } from '../src/storage/contract/command-writer.ts';
import type { Database } from '../src/storage/contract/database.ts';
import { engineNames, prepareData, sqlOn } from './support/engines.ts';
import { okOf } from './support/outcome.ts';
import { connectTo, runSql, untilWaiting } from './support/postgres.ts';
import { runProgram } from './support/server-process.ts';
import { makeTemporaryFolder } from './support/temporary-folder.ts';
import { readAuditTrail } from './support/whole-lists.ts';

const now = Date.UTC(2027, 0, 15, 12);
const hour = 3_600_000;
const workspaceId = 1n;
const secret = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=';
const newSecret = 'whsec_ICEiIyQlJicoKSorLC0uLzAxMjM0NTY3ODk6Ozw9Pj8=';
const url = 'https://user:pass@shop.example/hook/7?token=t0ken';
const origin = { requestId: 'r-1', actor: 'key:3', sessionId: undefined, now } as const;

type Creation = Partial<CommandInput<'createWebhook'>>;

const create = (database: Database, more: Creation = {}) =>
  database.write(background, 'createWebhook', {
    workspaceId,
    origin,
    url,
    types: undefined,
    description: undefined,
    secret,
    now,
    ...more,
  });

const createOk = async (database: Database, more?: Creation) => okOf(await create(database, more));

const update = (
  database: Database,
  changes: CommandInput<'updateWebhook'>['changes'],
  more: Partial<CommandInput<'updateWebhook'>> = {},
) =>
  database.write(background, 'updateWebhook', {
    ...{ workspaceId, id: 1n, changes, precondition: {}, origin, now },
    ...more,
  });

/** Appends events of new animals. */
async function addEvents(database: Database, count: number, ofWorkspace = workspaceId) {
  for (let index = 0; index < count; index += 1) {
    const pet = { name: 'Rex', categoryId: 1n };
    await database.write(background, 'createPet', { workspaceId: ofWorkspace, pet, origin });
  }
}

const lease = async (database: Database, holder = 'one/1', at = now) =>
  okOf(
    await database.write(background, 'leaseWebhooks', {
      holder,
      now: at,
      enabledMax: 20,
      failingMax: 20,
    }),
  );

const stateOf = ({ status, position, readTo, ...held }: HeldWebhook): DeliveryState => {
  const { failureCount, failingSince, retryStep, nextAttemptAt } = held;
  return { status, position, readTo, failureCount, failingSince, retryStep, nextAttemptAt };
};

const record = (
  database: Database,
  held: HeldWebhook,
  state: Partial<DeliveryState> = {},
  more: Partial<CommandInput<'saveDeliveries'>> = {},
) =>
  database.write(background, 'saveDeliveries', {
    workspaceId: held.workspaceId,
    webhookId: held.id,
    holder: 'one/1',
    revision: held.revision,
    deliveries: [],
    state: { ...stateOf(held), ...state },
    retries: [],
    endedRetries: [],
    dropsOpenRetries: false,
    releases: false,
    now,
    ...more,
  });

const delivery: NewDelivery = {
  eventId: 'evt_1_aaaaaaaa',
  at: now,
  attempt: 1,
  httpStatus: 500,
  error: undefined,
  milliseconds: 17,
  responseExcerpt: 'zwölf\nBoxkämpfer',
};

describe.each(engineNames)('webhooks on %s', (engine) => {
  async function openNew() {
    const data = await prepareData(engine);
    const database = await data.open();
    return {
      data,
      database,
      sql: (text: string) => sqlOn(engine, data.url, text),
      async [Symbol.asyncDispose]() {
        await database[Symbol.asyncDispose]();
        await data[Symbol.asyncDispose]();
      },
    };
  }

  /** An enabled webhook of workspace default, with so many events after its position. */
  async function openWith(events: number) {
    const opened = await openNew();
    await createOk(opened.database);
    await addEvents(opened.database, events);
    return opened;
  }

  describe('a client', () => {
    test('rotates a secret: during the overlap both are valid, the new one first, and no other rotation is possible', async () => {
      await using opened = await openWith(1);
      const { database } = opened;
      const rotate = (overlapSeconds: number, at: number) =>
        database.write(background, 'rotateWebhookSecret', {
          ...{ workspaceId, id: 1n, secret: newSecret, overlapSeconds, precondition: {}, origin },
          now: at,
        });
      const secretsAt = (at: number) =>
        database.readWebhookSecrets(background, workspaceId, 1n, at);
      expect(await secretsAt(now)).toEqual([secret]);
      const webhook = await database.readWebhook(background, workspaceId, 1n);
      expect(await rotate(60, now)).toEqual({
        ok: { webhook: webhook ?? never(), previousSecretExpiresAt: now + 60_000 },
      });
      expect(await secretsAt(now + 59_999)).toEqual([newSecret, secret]);
      await lease(database);
      const held = { workspaceId, webhookId: 1n, holder: 'one/1', revision: 2 };
      expect(await database.readLeasedSecrets(background, held, now)).toEqual([newSecret, secret]);
      expect(await database.readLeasedSecrets(background, held, now + 60_000)).toEqual([newSecret]);
      for (const other of [{ holder: 'one/2' }, { revision: 1 }, { webhookId: 2n }]) {
        expect(
          await database.readLeasedSecrets(background, { ...held, ...other }, now),
        ).toBeUndefined();
      }
      expect(await secretsAt(now + 60_000)).toEqual([newSecret]);
      expect(await rotate(1, now + 59_999)).toEqual({ refused: 'overlap_running' });
      expect(await secretsAt(now + 59_999)).toEqual([newSecret, secret]);
      // A leaked secret can be replaced at once.
      expect(okOf(await rotate(0, now + 59_999)).previousSecretExpiresAt).toBeUndefined();
      expect(await secretsAt(now)).toEqual([newSecret]);
      expect(okOf(await rotate(1, now + 60_000)).previousSecretExpiresAt).toBe(now + 61_000);
    });

    test('sets the position: to now, or to one whose later events are all stored, which ends all retries', async () => {
      await using opened = await openWith(6);
      const { database, sql } = opened;
      const [held = never()] = await lease(database);
      const retries = [{ sequence: 1, attempt: 1, nextAttemptAt: now }];
      okOf(await record(database, held, { position: 6, readTo: 6 }, { retries, releases: true }));
      expect(okOf(await update(database, { position: 2 })).position).toBe(2);
      expect(await lease(database)).toMatchObject([
        { position: 2, readTo: 2, retryCount: 0, dueRetries: [] },
      ]);
      expect(okOf(await update(database, { position: 'now' })).position).toBe(6);
      await sql('DELETE FROM events WHERE sequence <= 2');
      const expired = { refused: 'position_expired', blockedBy: 2n } as const;
      expect(await update(database, { position: 1 })).toEqual(expired);
      const unknown = { refused: 'position_unknown', blockedBy: 6n } as const;
      expect(await update(database, { position: 7 })).toEqual(unknown);
      expect(okOf(await update(database, { position: 2 })).position).toBe(2);
      await sql("UPDATE events SET type = 'feed.reset' WHERE sequence = 3");
      const afterReset = { refused: 'position_expired', blockedBy: 3n } as const;
      expect(await update(database, { position: 2 })).toEqual(afterReset);
      await sql('DELETE FROM events');
      expect(await update(database, { position: 3 })).toEqual({ ...expired, blockedBy: 6n });
      expect(okOf(await update(database, { position: 6 })).position).toBe(6);
    });

    test('pauses a webhook and enables it again, without its failures, if its next events are stored', async () => {
      await using opened = await openWith(4);
      const { database, sql } = opened;
      expect(okOf(await update(database, { status: 'paused' })).status).toBe('paused');
      expect(await database.hasDueWebhooks(background, now)).toBe(false);
      expect(await lease(database)).toEqual([]);
      await sql(
        'UPDATE webhooks SET failure_count = 3, failing_since = 5, retry_step = 2, next_attempt_at = 7, position = 1, read_to = 3',
      );
      expect(okOf(await update(database, { status: 'enabled' })).status).toBe('enabled');
      expect((await lease(database)).map(stateOf)).toEqual([
        {
          status: 'enabled',
          position: 1,
          readTo: 3,
          failureCount: 0,
          failingSince: undefined,
          retryStep: 0,
          nextAttemptAt: undefined,
        },
      ]);
      await sql("UPDATE webhooks SET status = 'disabled', read_to = 1");
      await sql('DELETE FROM events WHERE sequence <= 2');
      expect(await update(database, { status: 'enabled' })).toEqual({
        refused: 'position_expired',
        blockedBy: 2n,
      });
      expect(okOf(await update(database, { status: 'enabled', position: 'now' }))).toMatchObject({
        status: 'enabled',
        position: 4,
      });
    });

    test('has a failing webhook probed at once: by enabling it, by a test, and with another URL', async () => {
      await using opened = await openWith(1);
      const { database, sql } = opened;
      const failing = `UPDATE webhooks SET status = 'failing', failure_count = 9, retry_step = 4,
        next_attempt_at = ${now + hour}, lease_holder = NULL`;
      const expectProbe = async (state: object) => {
        const [held] = await lease(database);
        expect(held).toMatchObject({ status: 'failing', ...state });
        expect(held?.nextAttemptAt).toBeUndefined();
      };
      await sql(failing);
      expect(await lease(database)).toEqual([]);
      expect(okOf(await update(database, { status: 'enabled' })).status).toBe('failing');
      await expectProbe({ retryStep: 4, failureCount: 9 });
      await sql(failing);
      await database.write(background, 'probeWebhook', { workspaceId, id: 1n });
      await expectProbe({ retryStep: 4, failureCount: 9 });
      await sql(failing);
      await update(database, { url: 'https://new.example/' });
      await expectProbe({ retryStep: 0, failureCount: 0 });
    });

    test('leaves entries in the audit trail without a secret, and no events or new versions of lists', async () => {
      await using opened = await openNew();
      const { database, sql } = opened;
      const version = await database.readWorkspaceVersion(background, workspaceId);
      const inConsole = { ...origin, actor: 'owner', sessionId: 'session1' } as const;
      await createOk(database);
      const { description: _, ...changes } = { description: 'x', types: ['pet.*'] };
      await update(database, { ...changes, status: 'paused' }, { origin: inConsole });
      await update(database, { ...changes, status: 'paused' });
      await update(database, {}, { precondition: { match: [] } });
      const one = { workspaceId, id: 1n, precondition: {}, now, origin };
      await database.write(background, 'rotateWebhookSecret', {
        ...one,
        secret: newSecret,
        overlapSeconds: 5,
      });
      await database.write(background, 'deleteWebhook', {
        workspaceId,
        id: 1n,
        precondition: {},
        now,
      });
      const trail = await readAuditTrail(database);
      const webhook = {
        webhookId: 1,
        workspace: 'default',
        url: 'https://shop.example/hook/…',
        types: null,
        status: 'enabled',
        position: 0,
      };
      const paused = { ...webhook, types: 'pet.*', status: 'paused' };
      expect(trail.map(({ event, details }) => [event, JSON.parse(details)])).toEqual([
        ['webhook_created', { ...webhook, caller: 'key:3' }],
        [
          'webhook_changed',
          { ...paused, changed: 'types status', caller: 'owner', session: 'session1' },
        ],
        [
          'webhook_secret_rotated',
          { ...paused, previousSecretExpiresAt: now + 5000, caller: 'key:3' },
        ],
        ['webhook_deleted', paused],
      ]);
      expect(await sql('SELECT 1 FROM events')).toEqual([]);
      expect(await database.readWorkspaceVersion(background, workspaceId)).toBe(version);
    });
  });

  describe('servers', () => {
    test('acquire a due webhook once, also two at the same moment, until its lease has ended by the clock of the database', async () => {
      await using opened = await openWith(1);
      const { data, database, sql } = opened;
      await using other = await data.open();
      const both = await Promise.all([lease(database, 'one/1'), lease(other, 'two/1')]);
      expect(both.map(({ length }) => length).sort()).toEqual([0, 1]);
      const [first = never()] = both.flat();
      const [winner, loser] =
        both[0].length > 0 ? (['one/1', 'two/1'] as const) : (['two/1', 'one/1'] as const);
      expect(first).toMatchObject({ id: 1n, workspaceId: 1n, url, revision: 1 });
      expect(await database.hasDueWebhooks(background, now)).toBe(false);
      expect(await lease(other, loser, now + 365 * 24 * hour)).toEqual([]);
      expect(await lease(other, winner)).toEqual([]);
      const [stored] = await sql('SELECT lease_until AS until FROM webhooks');
      expect(Math.abs(Number(stored?.until) - 60_000 - Date.now())).toBeLessThan(30_000);
      await sql(`UPDATE webhooks SET lease_until = ${Date.now() - 1}`);
      expect(await database.hasDueWebhooks(background, now)).toBe(true);
      expect(await lease(other, loser)).toHaveLength(1);
      // The first server has lost it.
      const late = await record(database, first, { position: 1 }, { holder: winner });
      expect(late).toEqual({ refused: 'lease_lost' });
      expect((await database.readWebhook(background, workspaceId, 1n))?.position).toBe(0);
    });

    test('store results as long as no other server has acquired the webhook, which extends the lease or ends it', async () => {
      await using opened = await openWith(2);
      const { database, sql } = opened;
      const [held = never()] = await lease(database);
      await sql('UPDATE webhooks SET lease_until = 5');
      okOf(await record(database, held, { position: 1, readTo: 1 }));
      expect(await lease(database, 'two/1')).toEqual([]);
      okOf(await record(database, held, {}, { releases: true }));
      expect(await lease(database, 'two/1')).toHaveLength(1);
      expect(await record(database, held)).toEqual({ refused: 'lease_lost' });
      await database.write(background, 'releaseWebhooks', { server: 'one' });
      expect(await lease(database, 'three/1')).toEqual([]);
      await database.write(background, 'releaseWebhooks', { server: 'two' });
      expect(await lease(database, 'three/1')).toHaveLength(1);
    });

    test('store no results after a client changed, paused, rotated or deleted the webhook, and continue at once', async () => {
      const one = { workspaceId, id: 1n, precondition: {}, now };
      // Each with how many servers can acquire the webhook at once after it.
      const changes: [(database: Database) => Promise<unknown>, number][] = [
        [(database) => update(database, { types: ['pet.*'] }), 1],
        [(database) => update(database, { status: 'paused' }), 0],
        [(database) => update(database, { position: 0 }), 1],
        [
          (database) =>
            database.write(background, 'rotateWebhookSecret', {
              ...one,
              secret: newSecret,
              overlapSeconds: 9,
            }),
          1,
        ],
        [(database) => database.write(background, 'deleteWebhook', one), 0],
      ];
      for (const [index, [change, acquiredCount]] of changes.entries()) {
        await using opened = await openWith(1);
        const { database } = opened;
        const [held = never()] = await lease(database);
        // A patch that changes nothing does not reject results.
        await update(database, { description: null });
        okOf(await record(database, held));
        await change(database);
        const late = await record(database, held, { position: 1 }, { deliveries: [delivery] });
        expect([index, late]).toEqual([index, { refused: 'lease_lost' }]);
        expect(
          (await database.readDeliveryPage(background, workspaceId, 1n, { limit: 9 }))?.items ?? [],
        ).toEqual([]);
        const acquired = await lease(database, 'two/1');
        expect([index, acquired.length]).toEqual([index, acquiredCount]);
      }
    });

    test('store deliveries, which are read in pages, newest first', async () => {
      await using opened = await openWith(1);
      const { database } = opened;
      const [held = never()] = await lease(database);
      const failed = {
        ...delivery,
        httpStatus: undefined,
        error: 'timeout',
        responseExcerpt: undefined,
      };
      okOf(await record(database, held, {}, { deliveries: [delivery, failed] }));
      okOf(await record(database, held, {}, { deliveries: [{ ...delivery, attempt: 2 }] }));
      const page = await database.readDeliveryPage(background, workspaceId, 1n, { limit: 2 });
      expect(page).toEqual({
        items: [
          { ...delivery, id: 3n, attempt: 2 },
          { ...failed, id: 2n },
        ],
        nextAfterId: 2n,
      });
      const rest = await database.readDeliveryPage(background, workspaceId, 1n, {
        limit: 2,
        afterId: 2n,
      });
      expect(rest).toEqual({ items: [{ ...delivery, id: 1n }], nextAfterId: undefined });
      expect(
        await database.readDeliveryPage(background, workspaceId, 2n, { limit: 2 }),
      ).toBeUndefined();
    });

    test('store the state and retries: open ones are dropped first, then ended ones, and changed ones replaced', async () => {
      await using opened = await openWith(9);
      const { database } = opened;
      const [held = never()] = await lease(database);
      const retryOf = (sequence: number, after = 0) => ({
        sequence,
        attempt: 1,
        nextAttemptAt: now + after,
      });
      const all = [1, 2, 3, 4, 5, 6, 7].map((sequence) => retryOf(sequence, -sequence));
      const due = okOf(await record(database, held, { position: 2, readTo: 6 }, { retries: all }));
      // That of event 7 is not due, because the event is delivered again.
      expect(due.map(({ sequence }) => sequence)).toEqual([6, 5, 4, 3, 2]);
      const state: DeliveryState = {
        status: 'enabled',
        position: 5,
        readTo: 8,
        failureCount: 3,
        failingSince: now - 9,
        retryStep: 1,
        nextAttemptAt: now + 1,
      };
      const changed = { sequence: 1, attempt: 4, nextAttemptAt: now + 31 * hour };
      const open = { sequence: 8, attempt: 1, nextAttemptAt: now + 1 };
      const change = { dropsOpenRetries: true, endedRetries: [2], retries: [changed, open] };
      okOf(await record(database, held, state, { ...change, releases: true }));
      const [leased = never()] = await lease(database);
      expect(stateOf(leased)).toEqual(state);
      expect(leased.retryCount).toBe(5);
      // A time in more than 30 hours was stored while the clock was wrong.
      expect(leased.dueRetries).toEqual([retryOf(5, -5), retryOf(4, -4), retryOf(3, -3), changed]);
      const more = [11, 12, 13].map((sequence) => retryOf(sequence, -sequence));
      const read = { ...state, readTo: 13 };
      okOf(await record(database, leased, read, { retries: more, releases: true }));
      const [again] = await lease(database);
      expect(again?.dueRetries.map(({ sequence }) => sequence)).toEqual([13, 12, 11, 5, 4]);
    });

    const cases: readonly (readonly [string, string, boolean])[] = [
      ['an enabled one with a new event', '', true],
      ['an enabled one that has read all', 'position = 0, read_to = 2', false],
      ['an enabled one without read_to', 'position = 2, read_to = NULL', false],
      ['a paused one', "status = 'paused'", false],
      ['a disabled one', "status = 'disabled'", false],
      ['a failing one whose probe is due', `status = 'failing', next_attempt_at = ${now}`, true],
      ['a failing one that was never probed', "status = 'failing', next_attempt_at = NULL", true],
      [
        'a failing one whose probe is not due',
        `status = 'failing', next_attempt_at = ${now + 1}`,
        false,
      ],
      [
        'a failing one whose probe is too far away for a right clock',
        `status = 'failing', next_attempt_at = ${now + 30 * hour + 1}`,
        true,
      ],
      ['a failing one without an event', "status = 'failing', position = 2, read_to = 2", false],
      ['one that is held', `lease_holder = 'other', lease_until = ${Date.now() + 60_000}`, false],
      [
        'one that is held longer than a lease, as after the clock was set back',
        `lease_holder = 'other', lease_until = ${Date.now() + hour}`,
        true,
      ],
      ['one that was held', "lease_holder = 'other', lease_until = 9", true],
    ];

    test('find webhooks that are due, and no others', async () => {
      await using opened = await openWith(2);
      const { database, sql } = opened;
      const initial =
        "status = 'enabled', position = 0, read_to = NULL, next_attempt_at = NULL, lease_holder = NULL, lease_until = NULL";
      for (const [what, changes, isDue] of cases) {
        await sql(`UPDATE webhooks SET ${initial}`);
        if (changes !== '') await sql(`UPDATE webhooks SET ${changes}`);
        expect([what, await database.hasDueWebhooks(background, now)]).toEqual([what, isDue]);
        expect([what, (await lease(database)).length]).toEqual([what, isDue ? 1 : 0]);
      }
    });

    test('find an enabled webhook with a due retry, and a failing one with any retry for its probe', async () => {
      await using opened = await openWith(1);
      const { database, sql } = opened;
      const [held = never()] = await lease(database);
      const retries = [{ sequence: 1, attempt: 1, nextAttemptAt: now }];
      okOf(await record(database, held, { position: 1, readTo: 1 }, { retries, releases: true }));
      expect(await database.hasDueWebhooks(background, now - 1)).toBe(false);
      expect(await database.hasDueWebhooks(background, now)).toBe(true);
      for (const status of ['paused', 'disabled']) {
        await sql(`UPDATE webhooks SET status = '${status}'`);
        expect([status, await database.hasDueWebhooks(background, now)]).toEqual([status, false]);
      }
      await sql(`UPDATE webhooks SET status = 'failing', next_attempt_at = ${now - 1}`);
      expect(await database.hasDueWebhooks(background, now - 2)).toBe(false);
      expect(await lease(database, 'one/1', now - 1)).toMatchObject([{ dueRetries: retries }]);
    });

    test('acquire a limited number of each status, those that were held longest ago first', async () => {
      await using opened = await openNew();
      const { database, sql } = opened;
      for (let count = 0; count < 5; count += 1) await createOk(database);
      await addEvents(database, 1);
      const rounds: number[][] = [];
      for (let round = 0; round < 3; round += 1) {
        const input = { holder: 'one/1', now, enabledMax: 2, failingMax: 0 };
        const leased = okOf(await database.write(background, 'leaseWebhooks', input));
        rounds.push(leased.map(({ id }) => Number(id)));
        for (const held of leased) okOf(await record(database, held, {}, { releases: true }));
      }
      expect(rounds.map(({ length }) => length)).toEqual([2, 2, 2]);
      expect(new Set(rounds.flat())).toEqual(new Set([1, 2, 3, 4, 5]));
      await sql("UPDATE webhooks SET status = 'failing' WHERE id <= 3");
      const limits = { holder: 'one/1', now, enabledMax: 1, failingMax: 2 };
      const mixed = okOf(await database.write(background, 'leaseWebhooks', limits));
      expect(mixed.map(({ status }) => status)).toEqual(['enabled', 'failing', 'failing']);
    });

    test('append an event when they give up a webhook, in the transaction of its state', async () => {
      await using opened = await openWith(3);
      const { data, database } = opened;
      const [held = never()] = await lease(database);
      const version = await database.readWorkspaceVersion(background, workspaceId);
      const disabled = { reason: 'events_deleted', firstMissed: 1, lastMissed: 2 } as const;
      okOf(await record(database, held, { status: 'disabled' }, { disabled, now }));
      expect(await database.readWorkspaceVersion(background, workspaceId)).not.toBe(version);
      const found = await database.readEvents(background, workspaceId, {
        after: 3,
        types: ['webhook.disabled'],
        limit: 9,
      });
      const events = found !== undefined && 'events' in found ? found.events : [];
      expect(events.map(({ json }) => JSON.parse(json))).toEqual([
        {
          id: expect.stringMatching(/^evt_4_\w{8}$/),
          sequence: 4,
          type: 'webhook.disabled',
          timestamp: new Date(now).toISOString(),
          actor: 'system',
          data: { id: 1, reason: 'events_deleted', firstMissed: 1, lastMissed: 2 },
        },
      ]);
      expect((await runProgram(['verify'], { DATABASE_URL: data.url })).exitCode).toBe(0);
    });

    test('count webhooks by status, and find the oldest event that waits', async () => {
      await using opened = await openNew();
      const { database, sql } = opened;
      const none = { enabled: 0, failing: 0, paused: 0, disabled: 0 };
      expect(await database.readWebhookFigures(background)).toEqual({
        counts: none,
        oldestUndeliveredAt: undefined,
      });
      for (let count = 0; count < 4; count += 1) await createOk(database);
      await addEvents(database, 3);
      await sql('UPDATE events SET at = sequence');
      await sql('UPDATE webhooks SET position = id');
      await sql("UPDATE webhooks SET status = 'paused' WHERE id = 1");
      await sql("UPDATE webhooks SET status = 'failing' WHERE id = 2");
      expect(await database.readWebhookFigures(background)).toEqual({
        counts: { ...none, enabled: 2, failing: 1, paused: 1 },
        oldestUndeliveredAt: 3,
      });
    });

    test('delete deliveries from before a time, a limited number at once', async () => {
      await using opened = await openWith(1);
      const { database } = opened;
      const [held = never()] = await lease(database);
      const deliveries = [1, 2, 3, 4].map((at) => ({ ...delivery, at }));
      okOf(await record(database, held, {}, { deliveries }));
      const step = { before: 4, deliveriesMax: 2 };
      const steps = [1, 2, 3].map(() => database.write(background, 'deleteOldDeliveries', step));
      expect((await Promise.all(steps)).map(({ ok }) => ok)).toEqual([2, 1, 0]);
      const page = await database.readDeliveryPage(background, workspaceId, 1n, { limit: 9 });
      expect(page?.items.map(({ at }) => at)).toEqual([4]);
    });
  });

  describe('of a workspace', () => {
    /** A webhook with a delivery and a retry in workspace shop, and another one in workspace default. */
    async function openWithShop() {
      const opened = await openWith(1);
      const { database } = opened;
      const shop = okOf(await database.write(background, 'createWorkspace', { name: 'shop', now }));
      await createOk(database, { workspaceId: shop.id });
      await addEvents(database, 1, shop.id);
      for (const held of await lease(database)) {
        const retries = [{ sequence: 1, attempt: 1, nextAttemptAt: now }];
        const more = { deliveries: [delivery, delivery], retries, releases: true };
        okOf(await record(database, held, {}, more));
      }
      const countAll = async () => {
        const [row] = await opened.sql(
          'SELECT (SELECT count(*) FROM webhooks) AS w, (SELECT count(*) FROM webhook_retries) AS r, (SELECT count(*) FROM webhook_deliveries) AS d',
        );
        return [row?.w, row?.r, row?.d].map(Number);
      };
      return { ...opened, shop, countAll, [Symbol.asyncDispose]: opened[Symbol.asyncDispose] };
    }

    test('are deleted with it, and stop at the first step', async () => {
      await using opened = await openWithShop();
      const { database, shop, countAll } = opened;
      expect(await countAll()).toEqual([2, 2, 4]);
      const step = { id: shop.id, rowsMax: 1, now };
      expect(okOf(await database.write(background, 'deleteWorkspaceStep', step)).gone).toBe(false);
      expect(await database.listWebhooks(background, shop.id)).toEqual([]);
      while (!okOf(await database.write(background, 'deleteWorkspaceStep', step)).gone);
      expect(await countAll()).toEqual([1, 1, 2]);
      expect(await lease(database)).toMatchObject([{ workspaceId: 1n }]);
    });

    test('are not delivered, and deleted later, if a server of version 1.0.0 deleted it', async () => {
      await using opened = await openWithShop();
      const { data, database, sql, countAll } = opened;
      for (const table of ['events', 'pets', 'workspaces WHERE id > 1']) {
        await sql(`DELETE FROM ${table}`);
      }
      await sql('UPDATE workspaces SET next_event_sequence = 2, available_count = 0');
      expect(await lease(database)).toMatchObject([{ workspaceId: 1n }]);
      expect((await database.readWebhookFigures(background)).counts.enabled).toBe(1);
      const { exitCode, stderr } = await runProgram(['verify'], { DATABASE_URL: data.url });
      expect([exitCode, stderr]).toEqual([0, '']);
      await database.write(background, 'deleteOldDeliveries', { before: 0, deliveriesMax: 9 });
      expect(await countAll()).toEqual([1, 1, 4]);
    });
  });

  test('that were changed without the service are found by verify', async () => {
    const changes = ["url = 'https://evil.example/'", "secret = 'whsec_x'", "types = 'pet.*'"];
    for (const change of changes) {
      await using opened = await openWith(0);
      await opened.sql(`UPDATE webhooks SET ${change}`);
      const { exitCode, stderr } = await runProgram(['verify'], { DATABASE_URL: opened.data.url });
      expect([exitCode, stderr]).toEqual([
        1,
        expect.stringContaining('Webhook 1 of workspace default was changed'),
      ]);
    }
  });

  test('are paused in a copy, which says so and is identical, and can be resumed there', async () => {
    await using opened = await openWith(3);
    const { data, database } = opened;
    const [held = never()] = await lease(database);
    const retries = [{ sequence: 1, attempt: 1, nextAttemptAt: now }];
    const state = { status: 'failing', position: 1, readTo: 2, failureCount: 7 } as const;
    okOf(await record(database, held, state, { retries, deliveries: [delivery] }));
    await database[Symbol.asyncDispose]();
    await using target = await prepareData(engine === 'sqlite' ? 'postgres' : 'sqlite', 'empty');
    const copy = () => runProgram(['copy', '--from', data.url, '--to', target.url]);
    for (const line of ['The copy is complete and', 'The target is already a complete copy,']) {
      const { exitCode, stdout } = await copy();
      expect([exitCode, stdout]).toEqual([
        0,
        expect.stringContaining(
          `${line} identical to the source.\n1 webhook is paused, so that two databases do not send the same events. ` +
            'When this database replaces the other, run animal-store webhooks resume --all.\n',
        ),
      ]);
    }
    await using copied = await target.open();
    expect(await copied.listWebhooks(background, workspaceId)).toMatchObject([
      { url, status: 'paused', position: 1 },
    ]);
    expect(await copied.readDeliveryPage(background, workspaceId, 1n, { limit: 9 })).toEqual({
      items: [{ ...delivery, id: 1n }],
      nextAfterId: undefined,
    });
    expect(await lease(copied)).toEqual([]);
    okOf(await update(copied, { status: 'enabled' }));
    expect(await lease(copied)).toMatchObject([
      { position: 1, readTo: 1, failureCount: 0, dueRetries: retries },
    ]);
  });
});

test('events are kept for a position that a client sets while old events are deleted', async () => {
  await using data = await prepareData('postgres');
  await using database = await data.open();
  await createOk(database);
  await addEvents(database, 3);
  const [held = never()] = await lease(database);
  okOf(await record(database, held, { position: 3, readTo: 3 }, { releases: true }));
  await using client = await connectTo(data.url);
  await client.query('BEGIN; SELECT 1 FROM workspaces WHERE id = 1 FOR UPDATE');
  const input = { before: Number.MAX_SAFE_INTEGER, undeliveredBefore: 0, eventsMax: 10 };
  const deleting = database.write(background, 'deleteOldEvents', input);
  await untilWaiting(data.url);
  await client.query('UPDATE webhooks SET position = 1, read_to = 1');
  await client.query('COMMIT');
  await deleting;
  const page = await database.readEvents(background, workspaceId, { limit: 9 });
  const events = page !== undefined && 'events' in page ? page.events : [];
  expect(events.map(({ sequence }) => sequence)).toEqual([2, 3]);
});

test('webhooks of a restored backup are paused, and the restore says so', async () => {
  using folder = makeTemporaryFolder();
  const path = join(folder.path, 'test.db');
  await using data = await prepareData('sqlite');
  {
    await using database = await data.open();
    for (let count = 0; count < 2; count += 1) await createOk(database);
    await addEvents(database, 1);
    for (const held of await lease(database)) {
      const retries = [{ sequence: 1, attempt: 1, nextAttemptAt: now }];
      okOf(await record(database, held, { failureCount: 3 }, { retries }));
    }
  }
  const backup = join(folder.path, 'a.bak');
  expect((await runProgram(['backup', backup], { DATABASE_URL: data.url })).exitCode).toBe(0);
  const restored = await runProgram(['restore', backup], { DATABASE_URL: `sqlite:${path}` });
  expect([restored.exitCode, restored.stdout]).toEqual([
    0,
    expect.stringContaining('\n2 webhooks are paused, so that two databases do not send'),
  ]);
  const rows = await sqlOn(
    'sqlite',
    `sqlite:${path}`,
    'SELECT status, failure_count, read_to, lease_holder, lease_until FROM webhooks',
  );
  expect(rows).toEqual(
    Array(2).fill({
      status: 'paused',
      failure_count: 0,
      read_to: null,
      lease_holder: null,
      lease_until: null,
    }),
  );
  // They are sent when the webhooks are resumed.
  const kept = 'SELECT webhook_id AS id FROM webhook_retries';
  expect(await sqlOn('sqlite', `sqlite:${path}`, kept)).toEqual([{ id: 1 }, { id: 2 }]);
});

test('webhooks of restored tables are paused by accept-restored, which says so', async () => {
  await using prepared = await prepareData('postgres');
  {
    await using database = await prepared.open();
    await createOk(database);
  }
  for (const idGap of ['1000', '0']) {
    const run = ['accept-restored', '--id-gap', idGap];
    await runSql(prepared.url, "UPDATE webhooks SET status = 'enabled', lease_holder = 'x'");
    const { exitCode, stdout } = await runProgram(run, { DATABASE_URL: prepared.url });
    expect([exitCode, stdout]).toEqual([0, expect.stringContaining('\n1 webhook is paused, so')]);
    const rows = await runSql(prepared.url, 'SELECT status, lease_holder AS holder FROM webhooks');
    expect(rows).toEqual([{ status: 'paused', holder: null }]);
  }
});

test('on PostgreSQL, a change of a webhook waits for the audit trail without a lock of its workspace, so that it never deadlocks', async () => {
  await using data = await prepareData('postgres');
  await using database = await data.open();
  await using client = await connectTo(data.url);
  await client.query('BEGIN; SELECT 1 FROM meta FOR UPDATE');
  const key = { workspaceId, operationId: 'createWebhook', key: 'k', requestDigest: 'd' };
  const input = { workspaceId, url, types: undefined, description: undefined, secret, now };
  const created = database.writeKeyed(background, 'createWebhook', input, {
    ...key,
    now,
    expiresAt: now + 1,
  });
  const pet = { workspaceId, pet: { name: 'Rex', categoryId: 1n } };
  const added = database.write(background, 'createPet', pet);
  await untilWaiting(data.url);
  // Its row is free. Otherwise this fails.
  await client.query('SELECT 1 FROM workspaces FOR UPDATE NOWAIT');
  await client.query('COMMIT');
  expect(await Promise.all([created, added])).toEqual([
    { ok: expect.objectContaining({ id: 1n }), replayed: false },
    { ok: expect.objectContaining({ id: 1n }) },
  ]);
});

function never(): never {
  throw new Error('A value is missing');
}
