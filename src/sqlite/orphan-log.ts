import { existsSync, renameSync } from 'node:fs';
import { dirname } from 'node:path';
import { flush } from './file.ts';

/** The files that SQLite keeps beside a database, and applies to the next database of that name. */
const logSuffixes = ['-wal', '-shm', '-journal'];

/**
 * Renames the log that belongs to no database any more to `NAME-wal.TIME`, and its index and journal likewise, because SQLite
 * would delete it or apply it to the next database of that name. It can hold acknowledged writes. Returns the new names.
 */
export function setAsideLog(path: string, now: number): readonly string[] {
  const time = new Date(now).toISOString().replaceAll(':', '-');
  const names = logSuffixes.flatMap((suffix) => {
    if (!existsSync(path + suffix)) return [];
    const name = findFreeName(`${path}${suffix}.${time}`);
    renameSync(path + suffix, name);
    return [name];
  });
  if (names.length > 0) flush(dirname(path));
  return names;
}

function findFreeName(name: string): string {
  for (let count = 2, free = name; ; count += 1) {
    if (!existsSync(free)) return free;
    free = `${name}.${count}`;
  }
}

/** One line for the operator. */
export function setAsideLine(names: readonly string[]): string {
  return `The log of a missing database was renamed to ${names.join(', ')}`;
}
