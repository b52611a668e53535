import { settlesWithin } from '../../context/deadline.ts';
import { openNew } from '../file/file-system.ts';
import { openThread } from '../writer/writer.ts';
import type { ReadOptions } from './vacuum-into.ts';

/** How often the copy is flushed. Without that, the flush at its end would delay the commits of a server by up to a second. */
const flushMilliseconds = 50;

/**
 * Copies the state of a database at one moment to a new file, while servers write to it (docs/decisions/backups.md). SQLite copies it
 * in a thread, so that this one can flush the copy and clean up at a signal.
 * @throws DatabaseUnusable or DatabaseUnavailable with one line for the operator.
 */
export async function copyFile(
  path: string,
  target: string,
  options: ReadOptions = {},
): Promise<void> {
  await using copy = await openNew(target);
  using thread = openThread();
  const copied = thread.call('vacuumInto', path, target, options);
  while (!(await settlesWithin(copied, flushMilliseconds))) await copy.datasync();
  await copied;
}
