import type { CommandWriter } from '../domain/database/command-writer.ts';
import type { ApiKeyUses } from '../http/access/api-key-uses.ts';
import type { Log } from '../ops/log.ts';
import { createEventRetention } from './event-retention.ts';

const restMilliseconds = 60_000;

/** How many expired rows one command deletes, so that requests do not wait long. */
const stepRowsMax = 500;

/**
 * Records the use of keys and deletes expired rows once a minute, until it is disposed of. The recording does not wait for long
 * deletions.
 */
export function startMaintenance(
  writer: CommandWriter,
  uses: ApiKeyUses,
  eventDays: number,
  log: Log,
): Disposable {
  const works = new DisposableStack();
  let isOver = false;
  works.defer(() => {
    isOver = true;
  });
  const deleteOldEvents = createEventRetention(writer, eventDays, log);

  /** `deleteSome` returns whether more rows can be left. */
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

/**
 * Repeats work until it is disposed of. Each rest begins when the work ends, so that slow work never runs twice at once. The
 * work must not reject.
 */
export function repeat(restMilliseconds: number, work: () => Promise<void>): Disposable {
  let isOver = false;
  let timer: ReturnType<typeof setTimeout>;

  function rest(): void {
    if (!isOver) timer = setTimeout(() => work().then(rest), restMilliseconds);
  }

  rest();
  return {
    [Symbol.dispose]() {
      isOver = true;
      clearTimeout(timer);
    },
  };
}
