import { background, createContext, shorten } from '../context/context.ts';
import { rest } from '../context/deadline.ts';
import { isOutage, type RepeatPolicy, repeat } from '../context/repeat.ts';
import type { Awaitable } from '../domain/values/awaitable.ts';
import type { Context } from '../domain/values/context.ts';
import type { HeldWebhook } from '../domain/webhook.ts';
import type { WebhookReads } from '../domain/webhook-reads.ts';
import { type DeliveryServices, deliverWebhook } from './deliver-webhook.ts';

/** Webhooks that a server works on at once. Failing ones, which can take long to answer, leave the others their places. */
const workingMax = { enabled: 100, failing: 25 };

/** A look reads all webhooks of all workspaces, 10 ms for 50 000. So looks take at most a twentieth of the time. */
const restPerLook = 20;
const restMillisecondsMax = 1000;
const lookMillisecondsMax = 5000;

type DeliveryDatabase = DeliveryServices['database'] & Pick<WebhookReads, 'hasDueWebhooks'>;

export interface DelivererOptions
  extends Pick<DeliveryServices, 'send' | 'now' | 'random' | 'onStatus' | 'onGivenUp' | 'onError'> {
  readonly database: DeliveryDatabase;
  /** The name of this server among those that share the data. */
  readonly server: string;
  /** Whether an earlier server can have had the name of this one. Its leases end at the start. */
  readonly hasFixedName: boolean;
  /** Waits until data has changed, but not long, and ends when the signal is aborted. */
  readonly waitForWork: (over: AbortSignal) => Promise<void>;
}

export interface Deliverer {
  /** Begins no more attempts, waits for those in flight until `until` resolves, and ends the leases. */
  stop(until: Promise<void>): Promise<void>;
}

/** Delivers events to the webhooks of all workspaces that no other server holds. */
export function startDeliverer(options: DelivererOptions): Deliverer {
  const { database, server, hasFixedName, now, waitForWork, onError } = options;
  const abort = new AbortController();
  const stopping = new AbortController();
  /** A look, or the end of the leases. */
  const lookContext = () => createContext({ millisecondsMax: lookMillisecondsMax });
  const isStopping = () => stopping.signal.aborted;
  let nextLook = Promise.withResolvers<void>();
  const pace = { nextLook: () => nextLook.promise, isStopping };
  const services = { ...options, ...pace, inFlight: { count: 0 } };
  const workers = createWorkers(services, abort.signal);
  let mayHold = hasFixedName;
  let leases = 0;
  let nextLookAt = 0;

  async function hasDueWebhooks(): Promise<boolean> {
    const begunAt = performance.now();
    const isDue = await database.hasDueWebhooks(lookContext(), now());
    const took = performance.now() - begunAt;
    nextLookAt = performance.now() + Math.min(took * restPerLook, restMillisecondsMax);
    return isDue;
  }

  async function look(): Promise<void> {
    const { enabledMax, failingMax } = workers.free();
    if (enabledMax + failingMax === 0 || !(await hasDueWebhooks())) return;
    leases += 1;
    // If a lease ends during its attempts, this server can be the next holder too. The name tells the two leases apart.
    const lease = `${server}/${leases}`;
    mayHold = true;
    const input = { holder: lease, now: now(), enabledMax, failingMax };
    const { ok: acquired } = await database.write(lookContext(), 'leaseWebhooks', input);
    for (const webhook of acquired) workers.start(webhook, lease);
  }

  async function release(): Promise<void> {
    if (!mayHold) return;
    await database.write(lookContext(), 'releaseWebhooks', { server });
    mayHold = false;
  }

  async function run(): Promise<void> {
    await release().catch(onError);
    while (!isStopping()) {
      await look().catch(onError);
      await waitForWork(stopping.signal);
      await rest(nextLookAt - performance.now(), stopping.signal);
      nextLook.resolve();
      nextLook = Promise.withResolvers();
    }
  }

  const running = run();
  return {
    async stop(until) {
      stopping.abort();
      await running;
      const ended = workers.ended();
      await Promise.race([ended, until]);
      abort.abort();
      await ended;
      await release().catch(onError);
    },
  };
}

/** The work on each webhook that this server holds. */
function createWorkers(
  services: DelivererOptions & Pick<DeliveryServices, 'isStopping' | 'nextLook' | 'inFlight'>,
  stopped: AbortSignal,
) {
  const { database, isStopping, nextLook } = services;
  const working = { enabled: new Set<Promise<void>>(), failing: new Set<Promise<void>>() };
  /** For each webhook, what ends its attempts. */
  const ends = new Map<string, AbortController>();
  return {
    free: () => ({
      enabledMax: workingMax.enabled - working.enabled.size,
      failingMax: workingMax.failing - working.failing.size,
    }),
    start(webhook: HeldWebhook, lease: string): void {
      const { workspaceId, id, status } = webhook;
      const pool = status === 'failing' ? 'failing' : 'enabled';
      const key = `${workspaceId} ${id}`;
      // The earlier lease of this webhook has ended. Its attempts must not keep a place.
      ends.get(key)?.abort();
      const end = new AbortController();
      ends.set(key, end);
      const signal = AbortSignal.any([stopped, end.signal]);
      const onError = (error: unknown) => services.onError(error, webhook);
      const done = deliverWebhook(webhook, {
        ...services,
        context: { ...background, signal, report: onError },
        database: repeatOutages(database, {
          isPassing: (error) => isOutage(error) && !isStopping(),
          wait: nextLook,
        }),
        onError,
        lease,
        isCrowded: () => working[pool].size >= workingMax[pool],
      })
        .catch(onError)
        .finally(() => {
          working[pool].delete(done);
          if (ends.get(key) === end) ends.delete(key);
        });
      working[pool].add(done);
    },
    async ended(): Promise<void> {
      await Promise.all([...working.enabled, ...working.failing]);
    },
  };
}

/** As long as a lease. After it, another server can have the webhook. */
const repeatMillisecondsMax = 60_000;

/**
 * Repeats calls at each look while storage is not available. Damaged data stays damaged, so that only this webhook fails, and a result
 * that may be stored is not stored a second time.
 */
function repeatOutages(
  database: DeliveryDatabase,
  policy: RepeatPolicy,
): DeliveryServices['database'] {
  function repeated<Rest extends unknown[], Result>(
    call: (context: Context, ...input: Rest) => Awaitable<Result>,
  ) {
    return (context: Context, ...input: Rest): Promise<Result> =>
      repeat(shorten(context, repeatMillisecondsMax), policy, () => call(context, ...input));
  }

  return {
    readEvents: repeated(database.readEvents),
    readEvent: repeated(database.readEvent),
    readLeasedSecrets: repeated(database.readLeasedSecrets),
    readDeliveryPage: repeated(database.readDeliveryPage),
    write: (context, ...input) =>
      repeat(shorten(context, repeatMillisecondsMax), policy, () =>
        database.write(context, ...input),
      ),
  };
}
