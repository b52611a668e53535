import type { Awaitable } from '../values/awaitable.ts';
import type { Histogram } from '../values/histogram.ts';
import type { CommandWriter } from './commands.ts';
import type { Reads } from './registry.ts';

/** Tells whether what was read may still be given. */
export interface DataVersion {
  /**
   * Changes whenever anything was committed, by any process, before it was asked for; an engine that is a server of its own
   * may take as long as its bound of staleness to see other processes' commits. It is cheap: what was read under a version
   * may be given again while that stays.
   */
  dataVersion(): number;
  /** For how long other processes may go on with what they read before a commit of this one. */
  readonly staleMillisecondsMax: number;
}

/**
 * What storage promises. Every engine passes the same suite of tests (`test/database-suite.ts`).
 *
 * - A write that returned is on disk: it survives the death of the process and of the machine.
 * - A write that failed changed nothing.
 * - A read sees every write that returned before it began, whichever process made it.
 * - Ids of animals rise with the order of commits within a workspace, count from 1, and are never reused.
 * - Every integer and every character comes back as it was given.
 *
 * All methods throw `DatabaseUnavailable` when storage cannot be reached, is full, or is too slow.
 */
export interface Database extends Reads, CommandWriter, DataVersion, AsyncDisposable {
  /** Settles when nothing can be written any more, for good: the process should end and start anew. */
  readonly broken: Promise<Error>;
  /** What storage is doing and has done since it was opened. Nothing is read from it for this. */
  statistics(): Awaitable<DatabaseStatistics>;
}

/** For whoever watches over a server. */
export interface DatabaseStatistics {
  /** Commands that wait for those before them. */
  readonly commandsWaiting: number;
  readonly commits: CommitStatistics;
  /** Of an engine that keeps the data in a file. */
  readonly file?: FileStatistics;
  /** Of an engine that is reached by connections: those that this process has. */
  readonly pool?: PoolStatistics;
}

export interface FileStatistics {
  readonly bytes: number;
  /** Of the write-ahead log beside it. */
  readonly logBytes: number;
  /** What this process may still write to the file system that it is on. */
  readonly freeBytes: number;
}

export interface CommitStatistics {
  /** Seconds from when commands that go together set out until it was known what became of them. */
  readonly seconds: Histogram;
  /** How many went together. */
  readonly commands: Histogram;
}

export interface PoolStatistics {
  readonly connections: number;
  /** Those of them that nobody uses now. */
  readonly idle: number;
  /** Those who wait for one. */
  readonly waiting: number;
}
