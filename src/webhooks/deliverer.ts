import type { CommandWriter } from '../domain/database/command-writer.ts';
import type { EventReads } from '../domain/event.ts';
import type { HeldWebhook, WebhookReads } from '../domain/webhook.ts';
import { type DeliveryServices, deliverWebhook } from './deliver-webhook.ts';

/** Attempts of a server at the same time. */
const inFlightMax = 100;

/** Webhooks that a server acquires at once. */
const webhooksMax = 20;

export interface DelivererOptions
  extends Omit<
    DeliveryServices,
    'database' | 'acquirePlace' | 'nextLook' | 'isStopping' | 'aborted'
  > {
  readonly database: EventReads & CommandWriter & Pick<WebhookReads, 'hasDueWebhooks'>;
  /** Whether an earlier server can have had the name of this one. Its leases end at the start. */
  readonly hasFixedName: boolean;
  /** Waits until data has changed or a time has come, but not long. Returns earlier if `isOver` returns true. */
  readonly waitForWork: (isOver: () => boolean) => Promise<void>;
  /** A read or write failed. It is retried. */
  readonly onError: (error: unknown) => void;
}

export interface Deliverer {
  /** Begins no more attempts, waits for those in flight until `until` resolves, and ends the leases. */
  stop(until: Promise<void>): Promise<void>;
}

/** Delivers events to the webhooks of all workspaces that no other server holds. */
export function startDeliverer(options: DelivererOptions): Deliverer {
  const { database, holder, hasFixedName, now, waitForWork, onError } = options;
  const abort = new AbortController();
  let isStopping = false;
  let nextLook = Promise.withResolvers<void>();
  const services: DeliveryServices = {
    ...options,
    acquirePlace: createPlaces(inFlightMax),
    aborted: abort.signal,
    nextLook: () => nextLook.promise,
    isStopping: () => isStopping,
  };
  const working = new Set<Promise<void>>();
  let mayHold = hasFixedName;

  function work(webhook: HeldWebhook): void {
    const done = deliverWebhook(webhook, services)
      .catch(onError)
      .finally(() => working.delete(done));
    working.add(done);
  }

  async function look(): Promise<void> {
    if (!(await database.hasDueWebhooks(now()))) return;
    const input = { holder, now: now(), webhooksMax };
    mayHold = true;
    const { ok: acquired } = await database.write('leaseWebhooks', input);
    for (const webhook of acquired) work(webhook);
  }

  async function release(): Promise<void> {
    if (!mayHold) return;
    await database.write('releaseWebhooks', { holder });
    mayHold = false;
  }

  async function run(): Promise<void> {
    await release().catch(onError);
    while (!isStopping) {
      await look().catch(onError);
      await waitForWork(() => isStopping);
      nextLook.resolve();
      nextLook = Promise.withResolvers();
    }
  }

  const running = run();
  return {
    async stop(until) {
      isStopping = true;
      await running;
      const ended = Promise.all(working);
      await Promise.race([ended, until]);
      abort.abort();
      await ended;
      await release().catch(onError);
    },
  };
}

/** A limited number of places, in the order of the requests for them. */
function createPlaces(placesMax: number): () => Promise<Disposable> {
  let free = placesMax;
  const waiting: (() => void)[] = [];

  function leave(): void {
    const next = waiting.shift();
    if (next === undefined) free += 1;
    else next();
  }

  return async () => {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    return { [Symbol.dispose]: leave };
  };
}
