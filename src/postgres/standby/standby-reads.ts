import type { ClientConfig } from 'pg';
import { checkContext } from '../../context/context.ts';
import { DatabaseUnavailable } from '../../storage/contract/database-error.ts';
import type { Queryable } from '../../storage/queryable.ts';
import type { Within } from '../../storage/within.ts';
import { type WatchOptions, watchPrimary } from './primary-watch.ts';
import { openStandby } from './standby.ts';

/**
 * Reads from the primary, and from a standby while no host accepts writes. The watch of the primary decides for all reads, so that
 * those of one request have one source, and a primary that is back is used at once. Each host can be a standby.
 */
export function openStandbyReads(
  primary: Within,
  hosts: readonly ClientConfig[],
  watching: WatchOptions,
) {
  const watch = watchPrimary(watching);
  const standbys = hosts.map(openStandby);
  let count = 0;
  let preferred = 0;

  async function readFromStandby(...input: Parameters<Queryable['all']>): Promise<never> {
    for (const _standby of standbys) {
      try {
        const rows = await standbys[preferred]?.read(watch.lastWord(), ...input);
        count += 1;
        return rows as never;
      } catch (error) {
        if (!(error instanceof DatabaseUnavailable)) throw error;
        preferred = (preferred + 1) % standbys.length;
      }
    }
    throw new DatabaseUnavailable('No host accepts writes, and no standby can be read');
  }

  const reads: Within = (context) => ({
    async all(...input) {
      checkContext(context);
      if (watch.isAway()) return await readFromStandby(...input);
      try {
        return await primary(context).all(...input);
      } catch (error) {
        // Other reasons are no reason for older data, such as too many reads.
        if (!(error instanceof DatabaseUnavailable) || !(await watch.lookNow())) throw error;
        return await readFromStandby(...input).catch(() => {
          throw error;
        });
      }
    },
  });

  return {
    reads,
    isInUse: watch.isAway,
    /** How many reads standbys have answered. */
    count: () => count,
    noteCommit: watch.noteCommit,
    async [Symbol.asyncDispose]() {
      await Promise.all([watch, ...standbys].map((each) => each[Symbol.asyncDispose]()));
    },
  };
}
