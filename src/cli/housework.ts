import type { Database } from '../domain/database.ts';
import type { ApiKeyUses } from '../http/api-key-uses.ts';
import type { Log } from '../ops/log.ts';
import { repeat } from './repeat.ts';

const restMilliseconds = 60_000;

/** A step of clearing what has expired: short enough to let requests through. */
const expiredKeysMax = 500;

/** What no request should wait for, until it is disposed of. */
export function startHousework(database: Database, uses: ApiKeyUses, log: Log): Disposable {
  return repeat(restMilliseconds, async () => {
    await flushUses(uses, log);
    await clearExpiredOnceKeys(database, log);
  });
}

async function clearExpiredOnceKeys(database: Database, log: Log): Promise<void> {
  try {
    let cleared: number;
    do {
      const step = { now: Date.now(), keysMax: expiredKeysMax };
      cleared = await database.write('deleteExpiredOnceKeys', step);
    } while (cleared === expiredKeysMax);
  } catch (error) {
    log.warn({ err: error }, 'expired idempotency keys could not be cleared');
  }
}

export async function flushUses(uses: ApiKeyUses, log: Log): Promise<void> {
  try {
    await uses.flush();
  } catch (error) {
    log.warn({ err: error }, 'the last use of keys could not be recorded');
  }
}
