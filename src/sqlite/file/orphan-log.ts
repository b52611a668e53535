import { existsSync, renameSync } from 'node:fs';
import { dirname } from 'node:path';
import { flush } from './file.ts';

/** The files that SQLite keeps beside a database, and applies to the next database of that name. */
const logSuffixes = ['-wal', '-shm', '-journal'];

/**
 * Renames the log of a missing database to `NAME-wal.TIME`, and its index and journal likewise, because SQLite would delete it
 * or apply it to the next database of that name. It can contain acknowledged writes. Returns the new names.
 */
export function setAsideLog(path: string, now: number): readonly string[] {
  const names = logSuffixes.flatMap((suffix) =>
    existsSync(path + suffix) ? [setAside(path + suffix, now)] : [],
  );
  if (names.length > 0) flush(dirname(path));
  return names;
}

/** Renames a file to `NAME.TIME`, and returns that name. */
export function setAside(path: string, now: number): string {
  const time = new Date(now).toISOString().replaceAll(':', '-');
  const name = findFreeName(`${path}.${time}`);
  renameSync(path, name);
  return name;
}

function findFreeName(name: string): string {
  for (let count = 2, free = name; ; count += 1) {
    if (!existsSync(free)) return free;
    free = `${name}.${count}`;
  }
}

/** One line for the operator. */
export function setAsideLine(names: readonly string[]): string {
  return `A log without its database was renamed to ${names.join(', ')}`;
}
