import type { Connection } from './connection.ts';
import { translateError } from './errors.ts';

/**
 * Sees the commits of every other connection, in this process or another, through SQLite's `data_version`.
 * One look, which costs 2 µs, serves what is done for one request before it first waits: microtasks run
 * between two requests. A look for each turn of the event loop would be cheaper, and wrong: Bun may serve
 * requests for tens of milliseconds before immediates run, and those that arrive meanwhile are part of it.
 */
export function createDataVersion(connection: Connection): () => number {
  const select = connection.query<{ data_version: bigint }, []>('PRAGMA data_version');
  let version = 0;
  let looked = false;
  const forget = () => {
    looked = false;
  };
  return () => {
    if (looked) return version;
    try {
      version = Number(select.get()?.data_version);
    } catch (error) {
      throw translateError(error);
    }
    looked = true;
    queueMicrotask(forget);
    return version;
  };
}
