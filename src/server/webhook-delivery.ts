import { rest } from '../context/deadline.ts';
import type { HeldWebhook } from '../domain/webhook.ts';
import type { Log } from '../ops/log.ts';
import { countDelivery, type DeliveryCounts } from '../ops/webhook-meters.ts';
import type { Database } from '../storage/contract/database.ts';
import { DatabaseUnavailable } from '../storage/contract/database-error.ts';
import { type Deliverer, startDeliverer } from '../webhooks/deliverer.ts';
import type { Send } from '../webhooks/send.ts';

/** A server that stops waits this long for attempts. Those that it ends are repeated. */
const stopMillisecondsMax = 2000;

interface DeliveryOptions {
  readonly database: Database;
  /** Whether other servers can deliver events of the same data. */
  readonly isShared: boolean;
  readonly send: Send;
  /** Whether to look for work now. */
  readonly mayLook: () => boolean;
  /** Counts attempts. */
  readonly counts: DeliveryCounts;
  readonly log: Log;
  /** Aborted when the server begins to stop. */
  readonly stopping: AbortSignal;
}

/** Delivers events until the server stops. Disposing of it waits for the last results. */
export function startDelivery(options: DeliveryOptions): AsyncDisposable {
  const { database, isShared, mayLook, send, counts, log, stopping } = options;
  const deliverer = startDeliverer({
    database,
    async send(attempt, signal) {
      const result = await send(attempt, signal);
      countDelivery(counts, result);
      return result;
    },
    // Only one server can have a SQLite file open. With this name, it continues at once after a kill.
    server: isShared ? Bun.randomUUIDv7() : 'server',
    hasFixedName: !isShared,
    now: Date.now,
    random: Math.random,
    waitForWork: createWorkWatch(() => database.dataVersion(), mayLook),
    onStatus(webhook, status, reason) {
      const details = { ...namesOf(webhook), reason };
      if (status === 'enabled') log.info(details, 'webhook works again');
      else log.warn(details, `webhook ${status}`);
    },
    onGivenUp: (webhook, event) =>
      log.warn(
        { ...namesOf(webhook), event },
        'webhook did not accept an event in all its attempts',
      ),
    onError: createErrorLog(log),
  });
  let stopped: Promise<void> | undefined;
  const stop = () => {
    stopped ??= stopInTime(deliverer);
    return stopped;
  };
  stopping.addEventListener('abort', stop);
  return { [Symbol.asyncDispose]: stop };
}

async function stopInTime({ stop }: Deliverer): Promise<void> {
  const ended = new AbortController();
  const { signal } = ended;
  await stop(rest(stopMillisecondsMax, signal));
  // A timer that still runs would keep the process alive.
  ended.abort();
}

const pollMilliseconds = 100;

/** A time can be due without a commit. */
const pollsMax = 10;

/** Returns a function that waits for a commit since its last call, at most a second or until the signal is aborted. It finds several commits at once. */
function createWorkWatch(dataVersion: () => number, mayLook: () => boolean) {
  let seen: number | undefined;

  /** If it cannot be read, the look at the database fails too, and is logged. */
  function readVersion(): number | undefined {
    try {
      return dataVersion();
    } catch {
      return seen;
    }
  }

  return async (over: AbortSignal): Promise<void> => {
    for (let polls = 0; polls < pollsMax && !over.aborted; polls += 1) {
      await rest(pollMilliseconds, over);
      const version = readVersion();
      if (version === seen) continue;
      seen = version;
      break;
    }
    while (!mayLook() && !over.aborted) {
      await rest(pollMilliseconds, over);
    }
  };
}

const errorLineMilliseconds = 60_000;

/**
 * Logs at most one error a minute, because during an outage, every webhook has one at every look. Damaged data has a line for each
 * webhook, which is tried again after its lease of a minute.
 */
function createErrorLog(log: Log) {
  let loggedAt = Number.NEGATIVE_INFINITY;
  return (error: unknown, webhook?: HeldWebhook): void => {
    if (webhook !== undefined && error instanceof DatabaseUnavailable && error.isDamaged) {
      const details = { ...namesOf(webhook), err: error };
      log.error(details, 'webhook cannot read its events, because the data is damaged');
      return;
    }
    if (performance.now() - loggedAt < errorLineMilliseconds) return;
    loggedAt = performance.now();
    log.warn({ err: error }, 'webhooks could not be delivered; retrying');
  };
}

/** The log has no address of an endpoint. */
function namesOf({ id, workspaceId }: HeldWebhook) {
  return { webhook: Number(id), workspaceId: Number(workspaceId) };
}
