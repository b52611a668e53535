import { Connection } from './connection.ts';

/** The version of the library that `bun:sqlite` loaded. On macOS, this is a library of the system. */
export function readSqliteVersion(): string {
  using connection = new Connection(':memory:');
  const row = connection.query<{ version: string }, []>('SELECT sqlite_version() AS version').get();
  return row?.version ?? 'unknown';
}

/**
 * Whether a version of SQLite can lose committed pages if one connection commits during the checkpoint of another
 * (https://sqlite.org/wal.html#walresetbug).
 */
export function hasWalResetFault(version: string): boolean {
  const [, major = 0, minor = 0, patch = 0] =
    /^(\d+)\.(\d+)\.(\d+)/.exec(version)?.map(Number) ?? [];
  // An unknown version is treated like a faulty one.
  if (major === 0) return true;
  if (major !== 3 || minor < 7 || minor > 51) return false;
  return patch < (correctedPatches[minor] ?? Number.POSITIVE_INFINITY);
}

/** The first corrected patch of each minor version of SQLite 3 that has one. */
const correctedPatches: Readonly<Record<number, number>> = { 44: 6, 50: 7, 51: 3 };
