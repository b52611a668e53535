import { createContext } from '../context/context.ts';
import { settlesWithin } from '../context/deadline.ts';
import type { Awaitable } from '../domain/values/awaitable.ts';
import { CallEnded, type Context } from '../domain/values/context.ts';
import { type AttemptResult, isDelivered } from '../domain/webhook.ts';
import { attemptErrors } from '../domain/webhook-target.ts';
import { DatabaseUnavailable } from '../storage/contract/database-error.ts';

/** How attempts to deliver an event end. `http_error` is a response that is no success. */
export const deliveryOutcomes = ['ok', 'http_error', ...attemptErrors] as const;
type DeliveryOutcome = (typeof deliveryOutcomes)[number];

export type DeliveryCounts = Record<DeliveryOutcome, number>;

export function createDeliveryCounts(): DeliveryCounts {
  const zeros = deliveryOutcomes.map((outcome) => [outcome, 0]);
  return Object.fromEntries(zeros);
}

export function countDelivery(counts: DeliveryCounts, result: AttemptResult): void {
  counts[isDelivered(result) ? 'ok' : (result.error ?? 'http_error')] += 1;
}

/** Prometheus waits 10 s for all metrics. */
const readMillisecondsMax = 2000;

/**
 * Returns a function that reads figures from storage. It returns undefined if storage is not available or slow, so that the other
 * metrics show why. One read runs at a time.
 */
export function limitRead<Figures>(
  read: (context: Context) => Awaitable<Figures>,
  millisecondsMax = readMillisecondsMax,
) {
  let reading: Promise<Figures | undefined> | undefined;

  async function readUnlessUnavailable(): Promise<Figures | undefined> {
    try {
      return await read(createContext({ millisecondsMax }));
    } catch (error) {
      if (error instanceof DatabaseUnavailable || error instanceof CallEnded) return undefined;
      throw error;
    }
  }

  return async (): Promise<Figures | undefined> => {
    reading ??= readUnlessUnavailable().finally(() => (reading = undefined));
    const current = reading;
    return (await settlesWithin(current, millisecondsMax)) ? await current : undefined;
  };
}
