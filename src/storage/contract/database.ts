import type { Awaitable } from '../../domain/values/awaitable.ts';
import type { Histogram } from '../../domain/values/histogram.ts';
import type { CommandWriter } from './command-writer.ts';
import type { Reads } from './reads-and-commands.ts';

/** Shows whether data that was read is still current. */
export interface DataVersion {
  /**
   * Changes with every commit, also of other processes. A database server may show their commits later, by at most
   * `staleMillisecondsMax`. Data that was read under a version is current as long as the version is the same. The call is cheap.
   */
  dataVersion(): number;
  /**
   * Changes with every commit that can have changed a key, session or workspace, also of other processes, and otherwise like
   * `dataVersion`. It can be the same after a commit of this process that changed records.
   */
  accessVersion(): number;
  /** How long other processes may use data that they read before a commit here. */
  readonly staleMillisecondsMax: number;
}

/**
 * What storage promises. Every engine passes the same suite of tests (`test/database-suite.ts`).
 *
 * - A write that returned is on disk: it survives the death of the process and of the machine.
 * - A write that failed changed nothing, unless it throws `DatabaseOutcomeUnknown`.
 * - A read sees every write of any process that returned before the read began.
 * - Ids of animals rise with the order of commits within a workspace, count from 1, and are never reused.
 * - Every integer and every character is stored exactly.
 *
 * All methods throw `DatabaseUnavailable` when storage cannot be reached, is full, or is too slow.
 */
export interface Database extends Reads, CommandWriter, DataVersion, AsyncDisposable {
  /** Resolves when no write can ever succeed again. The process should then restart. */
  readonly broken: Promise<Error>;
  /** Whether a read waits for another machine or process, so that its client can leave during it. */
  readonly readsWait: boolean;
  /** Undefined if nothing is read from a standby. */
  readonly standbyReads?: StandbyReads;
  /** Figures since the database was opened. Returning them reads nothing from it. */
  statistics(): Awaitable<DatabaseStatistics>;
}

/** Reads from a standby, which can lack the last writes, while no host accepts writes. */
export interface StandbyReads {
  /** Whether reads of this moment come from a standby. */
  isInUse(): boolean;
  /** How many reads came from one. */
  count(): number;
}

/** The figures of the database for metrics. */
export interface DatabaseStatistics {
  /** The number of commands in the queue. */
  readonly commandsWaiting: number;
  readonly commits: CommitStatistics;
  /** For an engine with a file. */
  readonly file?: {
    readonly bytes: number;
    /** The size of the write-ahead log beside it. */
    readonly logBytes: number;
    /** The free space that this process can use. */
    readonly freeBytes: number;
  };
  /** For an engine with connections: those that this process has. */
  readonly pool?: {
    readonly connections: number;
    /** Connections that are not in use. */
    readonly idle: number;
    /** Requests that wait for a connection. */
    readonly waiting: number;
  };
}

export interface CommitStatistics {
  /** Seconds from the start of a group of commands to its result. */
  readonly seconds: Histogram;
  /** The number of commands in a group. */
  readonly commands: Histogram;
}
