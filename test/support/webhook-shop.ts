import { background } from '../../src/context/context.ts';
import type { Webhook } from '../../src/domain/webhook.ts';
import { parseAllowedTargets } from '../../src/domain/webhook-target.ts';
import type { CommandName } from '../../src/storage/contract/command-writer.ts';
import type { Database } from '../../src/storage/contract/database.ts';
import { DatabaseOutcomeUnknown } from '../../src/storage/contract/database-error.ts';
import { type Deliverer, startDeliverer } from '../../src/webhooks/deliverer.ts';
import { createSend } from '../../src/webhooks/send.ts';
import { createJudgeTarget } from '../../src/webhooks/target.ts';
import { chosenEngine, type EngineName, prepareData, sqlOn, type TestData } from './engines.ts';
import { okOf } from './outcome.ts';

const secret = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=';

/** A database with the deliverer of one server, whose clock the test sets. Delays do not vary. */
export async function openWebhookShop(
  engine: EngineName = chosenEngine,
  /** Changes the data before it is opened. */
  prepare: (data: TestData) => Promise<void> = async () => {},
) {
  await using opening = new AsyncDisposableStack();
  const data = opening.use(await prepareData(engine));
  await prepare(data);
  const database = opening.use(await data.open());
  const clock = { now: Date.UTC(2026, 10, 23) };
  const allowed = ['127.0.0.1', '::1'].flatMap((text) => parseAllowedTargets(text) ?? []);
  const judgeTarget = createJudgeTarget({ allowed });
  const steadyNow = () => performance.now();
  const send = createSend({ judgeTarget, version: '0', now: () => clock.now, steadyNow });
  let sending = 0;
  /** Reads and writes that run. */
  let calls = 0;
  let waiting: (() => void) | undefined;
  const errors: unknown[] = [];
  const givenUp: string[] = [];
  let lost: CommandName | undefined;
  const watched: Database = new Proxy(database, {
    get(target, name) {
      const member = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      return (...input: unknown[]) => {
        const result = Reflect.apply(member, target, input);
        if (!(result instanceof Promise)) return result;
        calls += 1;
        const isLost = name === 'write' && input[1] === lost;
        if (isLost) lost = undefined;
        return result
          .then((value) => {
            // As if the connection had broken before the answer.
            if (isLost) throw new DatabaseOutcomeUnknown('lost');
            return value;
          })
          .finally(() => {
            calls -= 1;
          });
      };
    },
  });

  const start = (server = 'server'): Deliverer =>
    startDeliverer({
      database: watched,
      send: async (attempt, signal) => {
        sending += 1;
        return send(attempt, signal).finally(() => {
          sending -= 1;
        });
      },
      server,
      hasFixedName: true,
      now: () => clock.now,
      random: () => 0.5,
      waitForWork: () =>
        new Promise((resolve) => {
          waiting = resolve;
        }),
      onStatus: () => {},
      onGivenUp: (_webhook, eventId) => givenUp.push(eventId),
      onError: (error) => errors.push(error),
    });

  const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

  /** Lets the deliverer look until nothing more is due at this time. */
  async function deliver(): Promise<void> {
    do {
      await look();
    } while (await database.hasDueWebhooks(background, clock.now));
    if (errors.length > 0) throw errors[0];
  }

  async function wake(): Promise<void> {
    while (waiting === undefined) await turn();
    waiting();
    waiting = undefined;
  }

  async function look(): Promise<void> {
    let idleTurns = 0;
    await wake();
    while (idleTurns < 20) {
      await turn();
      const isIdle = waiting !== undefined && sending === 0 && calls === 0;
      idleTurns = isIdle ? idleTurns + 1 : 0;
    }
  }

  const shop = {
    database,
    clock,
    start,
    deliver,
    /** Lets the deliverer look, and does not wait for its attempts. */
    wake,
    /** Lets other work run once. */
    turn,
    /** The next command of this name is done, and its outcome is unknown. */
    loseOutcomeOf(name: CommandName) {
      lost = name;
    },
    /** The attempts that have no result. */
    sendingCount: () => sending,
    /** Runs a statement without the program. */
    sql: (text: string) => sqlOn(engine, data.url, text),
    errors,
    /** The ids of events whose last attempt failed. */
    givenUp,
    async stop(deliverer: Deliverer, until = Promise.resolve()): Promise<void> {
      let hasStopped = false;
      const stopped = deliverer.stop(until).finally(() => {
        hasStopped = true;
      });
      while (!hasStopped) {
        waiting?.();
        waiting = undefined;
        await turn();
      }
      await stopped;
    },
    addWebhook: async (url: string, types?: readonly string[]): Promise<Webhook> =>
      okOf(
        await database.write(background, 'createWebhook', {
          workspaceId: 1n,
          url,
          types,
          description: undefined,
          secret,
          now: clock.now,
        }),
      ),
    /** Appends an event for each animal. */
    async addAnimals(count: number): Promise<void> {
      const origin = {
        requestId: 'r',
        actor: 'owner',
        sessionId: undefined,
        now: clock.now,
      } as const;
      const pet = { name: 'Rex', categoryId: 9223372036854775807n };
      // The queue for commands takes a few thousand.
      for (let left = count; left > 0; left -= 1000) {
        const group = Array.from({ length: Math.min(left, 1000) }, () =>
          database.write(background, 'createPet', { workspaceId: 1n, pet, origin }),
        );
        await Promise.all(group);
      }
    },
    read: async (id = 1n) => {
      const webhook = await database.readWebhook(background, 1n, id);
      if (webhook === undefined) throw new Error(`There is no webhook ${id}`);
      return webhook;
    },
    /** The newest deliveries, newest first. */
    deliveries: async (id = 1n) => {
      const page = await database.readDeliveryPage(background, 1n, id, { limit: 100 });
      return page?.items ?? [];
    },
    /** Time passes, with a look each minute, or with larger steps. */
    async pass(milliseconds: number, step = 60_000): Promise<void> {
      for (let passed = 0; passed < milliseconds; passed += step) {
        clock.now += step;
        await deliver();
      }
    },
  };
  const open = opening.move();
  return { ...shop, [Symbol.asyncDispose]: () => open.disposeAsync() };
}
