import type { Connection } from './connection.ts';

/**
 * Sees the commits of every other connection, in this process or another, through SQLite's `data_version`.
 * One look serves all requests of a turn of the event loop: they had arrived before it. What arrives later
 * is served in a later turn, and immediates run between the two.
 */
export function createFreshness(connection: Connection): () => number {
  const dataVersion = connection.query<{ data_version: bigint }, []>('PRAGMA data_version');
  let version = 0;
  let looked = false;
  const forget = () => {
    looked = false;
  };
  return () => {
    if (looked) return version;
    looked = true;
    setImmediate(forget);
    version = Number(dataVersion.get()?.data_version);
    return version;
  };
}
