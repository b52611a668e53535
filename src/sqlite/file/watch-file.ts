import { type BigIntStats, statSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { DatabaseUnavailable } from '../../domain/database/database-error.ts';
import { toOperatorError } from '../errors.ts';

export interface FileWatch extends Disposable {
  /** Settles once the path leads elsewhere, or nowhere, with one line for the operator. */
  readonly lost: Promise<DatabaseUnavailable>;
}

const restMilliseconds = 500;

/**
 * Watches whether a path goes on leading to the file that it leads to now. Whoever has a file open can write to it
 * although it was removed; then all of it is gone with the process.
 */
export function watchFile(path: string): FileWatch {
  const opened = identify(path);
  const lost = Promise.withResolvers<DatabaseUnavailable>();
  let isLooking = false;
  let isOver = false;

  async function look(): Promise<void> {
    // A network that is gone may leave the last look without an answer for ever; then no other is begun.
    if (isLooking) return;
    isLooking = true;
    const change = await findChange(path, opened);
    isLooking = false;
    if (change === undefined || isOver) return;
    stop();
    const line = `${path} was ${change} while the server had it open: see docs/operations.md`;
    lost.resolve(new DatabaseUnavailable(line));
  }

  const timer = setInterval(look, restMilliseconds);

  function stop(): void {
    isOver = true;
    clearInterval(timer);
  }

  return { lost: lost.promise, [Symbol.dispose]: stop };
}

type Identity = Pick<BigIntStats, 'dev' | 'ino'>;

function identify(path: string): Identity {
  try {
    return statSync(path, { bigint: true });
  } catch (error) {
    throw toOperatorError(`${path} cannot be opened`, error);
  }
}

/** In place of a file, any of these is found where it was removed, its folder was, or the file system that it was on. */
const goneCodes = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'ESTALE']);

async function findChange(path: string, opened: Identity): Promise<string | undefined> {
  try {
    const { dev, ino } = await stat(path, { bigint: true });
    return dev === opened.dev && ino === opened.ino ? undefined : 'replaced by another file';
  } catch (error) {
    // Whatever else keeps a look from being had, says nothing about the file.
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    return goneCodes.has(code) ? 'removed or moved away' : undefined;
  }
}
