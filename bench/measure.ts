import { readCpuMicroseconds } from './cpu.ts';
import type { RunningServer, Workbench } from './workbench.ts';
import { type Load, type LoadOutcome, runLoad } from './wrk.ts';

/** A server and what it is to be loaded with. */
export interface Target {
  readonly server: RunningServer;
  readonly load: Load;
}

/** What one run of the load against one server gave. */
export interface Round extends LoadOutcome {
  readonly requestsPerSecond: number;
  /** User and system time of all threads and children of the server, and of its database, by request. */
  readonly cpuMicroseconds: number;
  /** Share of its core that the load took: near 1, the load was the limit and not the server. */
  readonly loadBusyShare: number;
}

/** Figures of a round that can be compared. */
export type RoundMember =
  | 'cpuMicroseconds'
  | 'requestsPerSecond'
  | 'p50Microseconds'
  | 'p99Microseconds';

/** The rounds of a server, in the order in which they were taken. */
export type Rounds = ReadonlyMap<string, readonly Round[]>;

/**
 * Measures several servers, one at a time and in turns (A B C, A B C, …), so that a busy machine slows all of
 * them alike. All servers run all the time, and only one is under load.
 */
export async function measureInTurns(
  workbench: Workbench,
  targets: readonly Target[],
  connections: number,
): Promise<Rounds> {
  const { rounds, secondsPerRound, warmUpSeconds } = workbench.pace;
  for (const { server, load } of targets) {
    if (warmUpSeconds > 0) await runLoad(workbench, server, load, connections, warmUpSeconds);
  }
  const taken = new Map<string, Round[]>(targets.map(({ server }) => [server.name, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const target of targets) {
      const measured = await measureRound(workbench, target, connections, secondsPerRound);
      taken.get(target.server.name)?.push(measured);
      workbench.tick();
    }
  }
  return taken;
}

export async function measureRound(
  workbench: Workbench,
  { server, load }: Target,
  connections: number,
  seconds: number,
): Promise<Round> {
  const { pid, databasePid } = server;
  const readDatabase = () => (databasePid === undefined ? 0 : readCpuMicroseconds(databasePid));
  const serverBefore = readCpuMicroseconds(pid);
  const databaseBefore = readDatabase();
  const outcome = await runLoad(workbench, server, load, connections, seconds);
  const serverTook = readCpuMicroseconds(pid) - serverBefore;
  const databaseTook = readDatabase() - databaseBefore;
  const { requests, durationMicroseconds, loadCpuMicroseconds } = outcome;
  return {
    ...outcome,
    requestsPerSecond: (requests / durationMicroseconds) * 1_000_000,
    cpuMicroseconds: (serverTook + databaseTook) / requests,
    loadBusyShare: loadCpuMicroseconds / durationMicroseconds,
  };
}
