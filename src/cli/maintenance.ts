import type { CommandWriter } from '../domain/commands.ts';
import type { ApiKeyUses } from '../http/api-key-uses.ts';
import type { Log } from '../ops/log.ts';
import { repeat } from './repeat.ts';

const restMilliseconds = 60_000;

/** A step of deleting what has expired: short enough to let requests through. */
const expiredKeysMax = 500;

/** What no request should wait for, until it is disposed of. */
export function startMaintenance(writer: CommandWriter, uses: ApiKeyUses, log: Log): Disposable {
  return repeat(restMilliseconds, async () => {
    await flushUses(uses, log);
    await deleteExpiredKeys(writer, log);
  });
}

async function deleteExpiredKeys(writer: CommandWriter, log: Log): Promise<void> {
  try {
    for (let deleted = expiredKeysMax; deleted === expiredKeysMax; ) {
      const step = { now: Date.now(), keysMax: expiredKeysMax };
      ({ ok: deleted } = await writer.write('deleteExpiredIdempotencyKeys', step));
    }
  } catch (error) {
    log.warn({ err: error }, 'expired idempotency keys could not be deleted');
  }
}

export async function flushUses(uses: ApiKeyUses, log: Log): Promise<void> {
  try {
    await uses.flush();
  } catch (error) {
    log.warn({ err: error }, 'the last use of keys could not be recorded');
  }
}
