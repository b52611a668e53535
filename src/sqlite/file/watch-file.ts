import { type BigIntStats, statSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { DatabaseUnavailable } from '../../domain/database/database-error.ts';
import { systemCode, withOperatorError } from '../errors.ts';

const restMilliseconds = 500;

/**
 * Watches whether a path still names the same file. A process can write to an open file that was removed, but that data is lost
 * when the process ends. `lost` settles with one line for the operator when the path names another file or none.
 */
export function watchFile(path: string) {
  const opened = withOperatorError(`${path} cannot be opened`, () =>
    statSync(path, { bigint: true }),
  );
  const lost = Promise.withResolvers<DatabaseUnavailable>();
  let isChecking = false;
  let isOver = false;

  async function check(): Promise<void> {
    // On a network that is down, the last check may never end. Then no other is started.
    if (isChecking) return;
    isChecking = true;
    const change = await findChange(path, opened);
    isChecking = false;
    if (change === undefined || isOver) return;
    stop();
    const line = `${path} was ${change} while the server had it open: see docs/operations.md`;
    lost.resolve(new DatabaseUnavailable(line));
  }

  const timer = setInterval(check, restMilliseconds);

  function stop(): void {
    isOver = true;
    clearInterval(timer);
  }

  return { lost: lost.promise, [Symbol.dispose]: stop };
}

/** The codes after the file, its folder or its file system was removed. */
const goneCodes = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'ESTALE']);

async function findChange(path: string, opened: BigIntStats): Promise<string | undefined> {
  try {
    const { dev, ino } = await stat(path, { bigint: true });
    return dev === opened.dev && ino === opened.ino ? undefined : 'replaced by another file';
  } catch (error) {
    // Other errors say nothing about the file.
    return goneCodes.has(systemCode(error) ?? '') ? 'removed or moved away' : undefined;
  }
}
