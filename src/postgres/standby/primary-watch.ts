import type { Client } from 'pg';
import { every } from '../../context/deadline.ts';
import { statement } from '../../storage/statement.ts';
import { toQuery } from '../client-queryable.ts';
import { describeError, sqlState } from '../driver-errors.ts';

/** How often the primary is looked at. */
const lookMilliseconds = 1000;

const positionMillisecondsMax = 1500;

/** Not in the check of each connection: some platforms and roles do not allow it. */
const selectPosition = statement<{ lsn: string }>('SELECT pg_current_wal_flush_lsn()::text AS lsn');

/** The role has no right to the function, or the platform has no such log. */
const notAllowedState = '42501';
const noPositionState = '55000';

export interface WatchOptions {
  /** Opens a checked connection to the host that accepts writes. */
  readonly connect: () => Promise<Client>;
  /** Checks again that the host of a connection accepts writes. */
  readonly check: (client: Client) => Promise<void>;
  /** Called when a host accepts writes again, before anything is read from it. */
  readonly onBack: () => void;
  readonly report: (line: string) => void;
}

/** Looks each second whether a host accepts writes, on a connection of its own, and notes how far its write-ahead log is. */
export function watchPrimary({ connect, check, onBack, report }: WatchOptions) {
  let client: Client | undefined;
  let isAway = false;
  let lastWord: string | undefined;
  /** A look that began before the last commit of this kind has an older position. */
  let commits = 0;
  let looking: Promise<boolean> | undefined;
  const readPosition = createPositionRead(report);

  async function lookAt(on: Client | undefined): Promise<Client> {
    const before = commits;
    const found = on ?? (await connect());
    try {
      if (on !== undefined) await check(on);
      const position = await readPosition(found);
      if (before === commits) lastWord = position;
      return found;
    } catch (error) {
      // The connection may have ended already.
      found.end().catch(() => {});
      throw error;
    }
  }

  async function look(): Promise<boolean> {
    const known = client;
    client = undefined;
    try {
      // A connection that ended says little about its server.
      client = await lookAt(known).catch((error) => {
        if (known === undefined) throw error;
        return lookAt(undefined);
      });
      if (isAway) onBack();
      isAway = false;
    } catch {
      isAway = true;
    }
    return isAway;
  }

  function lookNow(): Promise<boolean> {
    looking ??= look().finally(() => (looking = undefined));
    return looking;
  }

  void lookNow();
  const timer = every(lookMilliseconds, () => void lookNow());

  return {
    /** Whether no host accepted writes at the last look. */
    isAway: () => isAway,
    /** The position in the write-ahead log that this process last saw; undefined if a standby must not be read. */
    lastWord: () => lastWord,
    /** Looks at once. Returns whether no host accepts writes. */
    lookNow,
    /** After a commit that takes access away: a standby without it is not read. */
    noteCommit() {
      commits += 1;
      lastWord = undefined;
    },
    async [Symbol.asyncDispose]() {
      timer[Symbol.dispose]();
      await looking;
      // The connection may have ended already.
      await client?.end().catch(() => {});
    },
  };
}

/** Reads the position of a host; undefined if it does not allow that, which is reported once. */
function createPositionRead(report: (line: string) => void) {
  let isReported = false;
  return async (client: Client): Promise<string | undefined> => {
    try {
      const query = toQuery(selectPosition, [], positionMillisecondsMax);
      const { rows } = await client.query<{ lsn: string }>(query);
      return rows[0]?.lsn;
    } catch (error) {
      const state = sqlState(error);
      if (state !== notAllowedState && state !== noPositionState) throw error;
      if (!isReported) {
        report(
          `No standby will be read, because PostgreSQL does not tell its position: ${describeError(error)}`,
        );
      }
      isReported = true;
      return undefined;
    }
  };
}
