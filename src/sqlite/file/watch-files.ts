import { statSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { every } from '../../context/deadline.ts';
import { DatabaseUnavailable } from '../../storage/contract/database-error.ts';
import { systemCode, withOperatorError } from '../errors.ts';

const restMilliseconds = 500;

/** A path, and the file that it named when it was opened. */
export interface WatchedFile {
  readonly path: string;
  readonly dev: bigint;
  readonly ino: bigint;
}

/**
 * Watches whether paths still name the same files. A process can write to an open file that was removed, but that data is lost
 * when the process ends. `lost` settles with one line for the operator when a path names another file or none.
 */
export function watchFiles() {
  const files: WatchedFile[] = [];
  const lost = Promise.withResolvers<DatabaseUnavailable>();
  let isOver = false;

  // On a network that is down, a check may never end. Then no other is started.
  async function check(): Promise<void> {
    let line: string | undefined;
    // The first file comes last, and its line counts: if their folder was moved, the others are gone too.
    for (const file of files.toReversed()) {
      const change = await findChange(file);
      if (change === undefined) continue;
      line = `${file.path} was ${change} while the server had it open: see docs/operations.md`;
    }
    if (line === undefined || isOver) return;
    stop();
    lost.resolve(new DatabaseUnavailable(line));
  }

  const timer = every(restMilliseconds, check);

  function stop(): void {
    isOver = true;
    timer[Symbol.dispose]();
  }

  return {
    files,
    lost: lost.promise,
    add(path: string): void {
      const read = () => statSync(path, { bigint: true });
      const { dev, ino } = withOperatorError(`${path} cannot be opened`, read);
      files.push({ path, dev, ino });
    },
    [Symbol.dispose]: stop,
  };
}

/** The codes after the file, its folder or its file system was removed. */
const goneCodes = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'ESTALE']);

async function findChange({ path, dev, ino }: WatchedFile): Promise<string | undefined> {
  try {
    const found = await stat(path, { bigint: true });
    return dev === found.dev && ino === found.ino ? undefined : 'replaced by another file';
  } catch (error) {
    // Other errors say nothing about the file.
    return goneCodes.has(systemCode(error) ?? '') ? 'removed or moved away' : undefined;
  }
}
