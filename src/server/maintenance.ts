import type { CommandWriter } from '../domain/database/commands.ts';
import type { ApiKeyUses } from '../http/access/api-key-uses.ts';
import type { Log } from '../ops/log.ts';
import type { DeleteOldEvents } from './event-retention.ts';
import { repeat } from './repeat.ts';

const restMilliseconds = 60_000;

/** A step of deleting what has expired: short enough to let requests through. */
const stepRowsMax = 500;

/** What no request should wait for, until it is disposed of. However much is to be deleted, uses are noted in time. */
export function startMaintenance(
  writer: CommandWriter,
  uses: ApiKeyUses,
  deleteOldEvents: DeleteOldEvents,
  log: Log,
): Disposable {
  const works = new DisposableStack();
  let isOver = false;
  works.defer(() => {
    isOver = true;
  });

  /** `deleteSome` tells whether there may be more. */
  async function deleteInSteps(what: string, deleteSome: () => Promise<boolean>): Promise<void> {
    try {
      while (!isOver && (await deleteSome()));
    } catch (error) {
      log.warn({ err: error }, `${what} could not be deleted`);
    }
  }

  works.use(repeat(restMilliseconds, () => flushUses(uses, log)));
  works.use(
    repeat(restMilliseconds, async () => {
      await deleteInSteps('expired idempotency keys', async () => {
        const step = { now: Date.now(), keysMax: stepRowsMax };
        return (await writer.write('deleteExpiredIdempotencyKeys', step)).ok === stepRowsMax;
      });
      await deleteInSteps('expired sessions of the console', async () => {
        const step = { now: Date.now(), tokensMax: stepRowsMax };
        return (await writer.write('deleteExpiredConsoleTokens', step)).ok === stepRowsMax;
      });
      await deleteInSteps('old events', async () => {
        await deleteOldEvents(() => isOver);
        return false;
      });
    }),
  );
  return works;
}

export async function flushUses(uses: ApiKeyUses, log: Log): Promise<void> {
  try {
    await uses.flush();
  } catch (error) {
    log.warn({ err: error }, 'the last use of keys and sessions could not be recorded');
  }
}
