import type { Connection } from './connection.ts';
import { translateError } from './errors.ts';
import type { WalIndex } from './file/wal-index.ts';

/**
 * Sees the commits of every other connection, in this process or another. One look for each turn of the event loop would be
 * too few, as Bun may serve requests for tens of milliseconds before immediates run.
 */
export function createDataVersion(
  connection: Connection,
  index: WalIndex | undefined,
): () => number {
  const select = connection.query<{ data_version: bigint }, []>('PRAGMA data_version');
  // What SQLite tells is below 0, and what its index tells above.
  return () => index?.version() ?? -ask();

  function ask(): number {
    try {
      return Number(select.get()?.data_version);
    } catch (error) {
      throw translateError(error);
    }
  }
}
