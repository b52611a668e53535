import { statSync } from 'node:fs';
import { settlesWithin } from '../../context/deadline.ts';
import { openNew } from '../file/file-system.ts';
import { openThread } from '../writer/writer.ts';
import type { ReadOptions } from './vacuum-into.ts';

/** How often the copy is flushed. Without that, the flush at its end would delay the commits of a server by seconds. */
const flushMilliseconds = 50;

interface CopyOptions extends ReadOptions {
  /** Receives the number of bytes copied so far, and the size of the source, which can be larger than the copy. */
  readonly onBytes?: (copiedBytes: number, totalBytes: number) => void;
}

/**
 * Copies the state of a database at one moment to a new file, while servers write to it (docs/decisions/backups.md). SQLite copies it
 * in a thread, so that this one can flush the copy and clean up at a signal.
 * @throws DatabaseUnusable or DatabaseUnavailable with one line for the operator.
 */
export async function copyFile(
  path: string,
  target: string,
  { onBytes = () => {}, ...options }: CopyOptions = {},
): Promise<void> {
  await using copy = await openNew(target);
  using thread = openThread();
  const copied = thread.call('vacuumInto', path, target, options);
  while (!(await settlesWithin(copied, flushMilliseconds))) {
    await copy.datasync();
    const totalBytes = statSync(path).size;
    onBytes(Math.min((await copy.stat()).size, totalBytes), totalBytes);
  }
  await copied;
}
