import type { Machine } from './machine.ts';

/** What one run of the load against one server gave. */
export interface Round {
  readonly requestsPerSecond: number;
  readonly latencyP50Microseconds: number;
  readonly latencyP99Microseconds: number;
  /** User and system time of all threads of the server, divided by the requests it answered. */
  readonly cpuMicrosecondsPerRequest: number;
  /** The same of the database's processes, where it has any of its own. */
  readonly databaseCpuMicrosecondsPerRequest?: number | undefined;
  /** Answered with 400 or more, timed out, or broken off. */
  readonly failedRequests: number;
  /** Share of its core that the load took: near 1, the load was the limit and not the server. */
  readonly loadBusyShare: number;
  /** Share of the server's core that others took, the kernel among them; unknown without pinning. */
  readonly othersBusyShare?: number | undefined;
}

/** The rounds of one server under one load, in the order in which they were taken. */
export interface Measurement {
  readonly server: string;
  readonly connections: number;
  readonly rounds: readonly Round[];
}

export interface Memory {
  readonly residentBytes: number;
  readonly residentPeakBytes: number;
}

export interface ScenarioResult {
  readonly name: string;
  readonly title: string;
  readonly measurements: readonly Measurement[];
  /** Of each server, after the last round. */
  readonly memory: Readonly<Record<string, Memory>>;
}

export interface GrowthSize {
  readonly animals: number;
  readonly fillSeconds: number;
  readonly fileBytes: number;
  /** From the start of the process to the first page, one value a round. */
  readonly startMilliseconds: readonly number[];
  /** Some time after the first page. */
  readonly idle: Memory;
  /** After all loads. */
  readonly loaded: Memory;
}

export interface GrowthCost {
  readonly name: string;
  readonly title: string;
  /** One for each size; `server` is the number of animals. */
  readonly measurements: readonly Measurement[];
}

export interface GrowthResult {
  readonly connections: number;
  readonly sizes: readonly GrowthSize[];
  readonly costs: readonly GrowthCost[];
}

export interface SlowFlushResult {
  readonly flushMilliseconds: number;
  readonly writers: number;
  readonly list: readonly {
    readonly connections: number;
    readonly withoutWriters: readonly Round[];
    readonly withWriters: readonly Round[];
    /** Animals added a second by the writers meanwhile. */
    readonly createdPerSecond: readonly number[];
  }[];
}

/** What a load costs where several of our servers share a database, and one that has another to itself. */
export interface SeveralServersResult {
  readonly way: 'alone' | 'one after the other' | 'at once';
  readonly servers: number;
  readonly rounds: readonly {
    /** User and system time of all of them, divided by all requests that they answered. */
    readonly cpuMicrosecondsPerRequest: number;
    readonly failedRequests: number;
  }[];
}

export interface PostgresResult {
  readonly version: string;
  /** Of each engine; `server` is its name. */
  readonly list: readonly Measurement[];
  readonly create: readonly Measurement[];
  /** Rows that PostgreSQL takes one by one, without our server, one value a round. */
  readonly singleInserts: {
    readonly program: string;
    readonly counts: readonly {
      readonly clients: number;
      readonly rowsPerSecond: readonly number[];
      /** User and system time of all processes of PostgreSQL, divided by the rows. */
      readonly databaseCpuMicrosecondsPerRow?: readonly number[] | undefined;
    }[];
  };
  /** The list. */
  readonly severalServers: readonly SeveralServersResult[];
}

/** CPU time of one call of a step that every request passes through. */
export interface StepResult {
  readonly name:
    | 'authentication'
    | 'rate limit, off'
    | 'rate limit, on'
    | 'request id, made'
    | 'request id, sent by the client'
    | 'count of the key’s uses'
    | 'metrics'
    | 'look for commits';
  readonly microseconds: number;
}

/** Writes at a steady pace. */
export interface PacedWrites {
  readonly writesPerSecond: number;
  readonly latencyP50Microseconds: number;
  readonly latencyP99Microseconds: number;
  /** Of the one that took longest. */
  readonly latencyMaxMicroseconds: number;
  readonly failedRequests: number;
}

export interface BackupRound {
  readonly seconds: number;
  readonly backupBytes: number;
  /** The write-ahead log at its longest. */
  readonly logBytesMax: number;
  readonly withBackup: PacedWrites;
  /** For as long. */
  readonly withoutBackup: PacedWrites;
}

export interface BackupResult {
  readonly animals: number;
  readonly rounds: readonly BackupRound[];
}

export interface DemoResult {
  readonly animals: number;
  readonly seconds: readonly number[];
}

/** How long and how often everything is measured. */
export interface Pace {
  readonly rounds: number;
  readonly secondsPerRound: number;
  /** Compilers that work while the program runs need a while to have seen everything. */
  readonly warmUpSeconds: number;
  readonly connections: readonly number[];
  readonly growthAnimals: readonly number[];
}

export interface BenchResult {
  /** Of this shape; a reader refuses any other. */
  readonly format: 1;
  /** Every part at full pace: fit to be published. */
  readonly isWhole: boolean;
  readonly startedAt: string;
  readonly minutes: number;
  readonly command: string;
  readonly machine: Machine;
  readonly pace: Pace;
  readonly scenarios: readonly ScenarioResult[];
  readonly growth?: GrowthResult | undefined;
  readonly slowFlush: readonly SlowFlushResult[];
  readonly demo?: DemoResult | undefined;
  readonly steps?: readonly StepResult[] | undefined;
  readonly postgres?: PostgresResult | undefined;
  readonly backup?: BackupResult | undefined;
  /** What was left out, and why; a sentence each. */
  readonly notes: readonly string[];
}
