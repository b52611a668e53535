import { createContext, isOver } from '../context/context.ts';
import { every } from '../context/deadline.ts';
import type { Context } from '../domain/values/context.ts';
import type { ApiKeyUses } from '../http/access/api-key-uses.ts';
import type { Log } from '../ops/log.ts';
import type { CommandWriter } from '../storage/contract/command-writer.ts';
import { createEventRetention } from './event-retention.ts';

const restMilliseconds = 60_000;

/** How many expired rows one command deletes, so that requests do not wait long. */
const stepRowsMax = 500;

/** How long deliveries of webhooks are kept. */
const deliveryMilliseconds = 30 * 24 * 3_600_000;

/**
 * Records the use of keys and deletes expired rows once a minute, until it is disposed of. The recording does not wait for long
 * deletions.
 */
export function startMaintenance(
  writer: CommandWriter,
  uses: ApiKeyUses,
  eventDays: number,
  log: Log,
  /** Whether to look for expired rows now. */
  mayLook: () => boolean,
): Disposable {
  const jobs = new DisposableStack();
  const ending = new AbortController();
  jobs.defer(() => ending.abort());
  const deleteOldEvents = createEventRetention(writer, eventDays, log);

  /** A job that takes longer continues in the next minute. */
  const startJob = () =>
    createContext({ millisecondsMax: restMilliseconds, signal: ending.signal });

  /** `deleteStep` returns the number of deleted rows, or whether there can be more. */
  async function deleteInSteps(
    deleteStep: (context: Context) => Promise<{ readonly ok: number | boolean }>,
  ): Promise<void> {
    const context = startJob();
    while (!isOver(context)) {
      const { ok } = await deleteStep(context);
      if (ok !== true && ok !== stepRowsMax) return;
    }
  }

  const deleteIdempotencyKeys = (context: Context) => {
    const step = { now: Date.now(), keysMax: stepRowsMax };
    return writer.write(context, 'deleteExpiredIdempotencyKeys', step);
  };
  const deleteConsoleTokens = (context: Context) => {
    const step = { now: Date.now(), tokensMax: stepRowsMax };
    return writer.write(context, 'deleteExpiredConsoleTokens', step);
  };
  const deleteDeliveries = (context: Context) => {
    const step = { before: Date.now() - deliveryMilliseconds, deliveriesMax: stepRowsMax };
    return writer.write(context, 'deleteOldDeliveries', step);
  };

  const deleteImports = (context: Context) => {
    const step = { now: Date.now(), rowsMax: stepRowsMax };
    return writer.write(context, 'deleteExpiredImport', step);
  };

  jobs.use(every(restMilliseconds, () => flushUses(uses, log)));
  jobs.use(
    every(restMilliseconds, async () => {
      if (!mayLook()) return;
      const keys = deleteInSteps(deleteIdempotencyKeys);
      await warnOfFailure(keys, 'expired idempotency keys could not be deleted', log);
      const sessions = deleteInSteps(deleteConsoleTokens);
      await warnOfFailure(sessions, 'expired sessions of the console could not be deleted', log);
      const deliveries = deleteInSteps(deleteDeliveries);
      await warnOfFailure(deliveries, 'old deliveries of webhooks could not be deleted', log);
      const imports = deleteInSteps(deleteImports);
      await warnOfFailure(imports, 'expired imports could not be deleted', log);
      const events = deleteOldEvents(startJob());
      await warnOfFailure(events, 'old events could not be deleted', log);
    }),
  );
  return jobs;
}

export function flushUses(uses: ApiKeyUses, log: Log): Promise<void> {
  const failure = 'the last use of keys and sessions could not be recorded';
  return warnOfFailure(uses.flush(), failure, log);
}

/** The next repetition retries a failed job. */
async function warnOfFailure(job: Promise<void>, failure: string, log: Log): Promise<void> {
  await job.catch((error: unknown) => log.warn({ err: error }, failure));
}
