import { readCoreBusyMicroseconds, readCpuMicroseconds } from './cpu.ts';
import type { Measurement, Round } from './result.ts';
import type { RunningServer } from './servers/running-server.ts';
import type { Workbench } from './workbench.ts';
import { type Load, type LoadOutcome, runLoad } from './wrk.ts';

/** A server and what it is to be loaded with. */
export interface Target {
  readonly server: RunningServer;
  readonly load: Load;
  /** Of the database, where it is a process of its own: its time is counted beside the server's. */
  readonly databasePid?: number | undefined;
}

const warmUpConnections = 32;

/**
 * Measures several servers, one at a time and in turns (A B C, A B C, …), so that whatever else happens
 * on the machine meets all of them alike. All of them run throughout, and only one is under load.
 * `endTurn` measures whatever else takes part in each turn.
 */
export async function measureInTurns(
  workbench: Workbench,
  targets: readonly Target[],
  connectionCounts: readonly number[],
  endTurn?: (connections: number) => Promise<void>,
): Promise<readonly Measurement[]> {
  for (const target of targets) {
    await loadOnce(workbench, target, warmUpConnections, workbench.pace.warmUpSeconds);
  }
  const measurements: Measurement[] = [];
  for (const connections of connectionCounts) {
    const rounds = new Map<Target, Round[]>(targets.map((target) => [target, []]));
    for (let round = 0; round < workbench.pace.rounds; round += 1) {
      for (const target of targets) {
        rounds.get(target)?.push(await measureRound(workbench, target, connections));
        workbench.tick();
      }
      await endTurn?.(connections);
    }
    for (const [{ server }, taken] of rounds) {
      measurements.push({ server: server.name, connections, rounds: taken });
    }
  }
  return measurements;
}

/** One round, of the pace's length unless another is given. */
export async function measureRound(
  workbench: Workbench,
  target: Target,
  connections: number,
  seconds = workbench.pace.secondsPerRound,
): Promise<Round> {
  const { pid } = target.server;
  const { databasePid } = target;
  const readDatabaseCpu = () => (databasePid === undefined ? 0 : readCpuMicroseconds(databasePid));
  const core = workbench.pinning.server;
  const readCore = () => (core === undefined ? Number.NaN : readCoreBusyMicroseconds(core));
  const cpuBefore = readCpuMicroseconds(pid);
  const databaseCpuBefore = readDatabaseCpu();
  const coreBefore = readCore();
  const outcome = await loadOnce(workbench, target, connections, seconds);
  const cpuMicroseconds = readCpuMicroseconds(pid) - cpuBefore;
  const databaseCpuMicroseconds = readDatabaseCpu() - databaseCpuBefore;
  const coreMicroseconds = readCore() - coreBefore;

  const { requests, durationMicroseconds, loadCpuMicroseconds } = outcome;
  const othersMicroseconds = Math.max(0, coreMicroseconds - cpuMicroseconds);
  return {
    requestsPerSecond: (requests / durationMicroseconds) * 1_000_000,
    latencyP50Microseconds: outcome.latencyP50Microseconds,
    latencyP99Microseconds: outcome.latencyP99Microseconds,
    cpuMicrosecondsPerRequest: cpuMicroseconds / requests,
    ...(databasePid === undefined
      ? {}
      : { databaseCpuMicrosecondsPerRequest: databaseCpuMicroseconds / requests }),
    failedRequests: outcome.failedRequests,
    loadBusyShare: loadCpuMicroseconds / durationMicroseconds,
    ...(core === undefined ? {} : { othersBusyShare: othersMicroseconds / durationMicroseconds }),
  };
}

let seed = 0;

/** Puts a server under load, and every time with something else drawn at random. */
export function loadOnce(
  { pinning }: Workbench,
  { server, load }: Target,
  connections: number,
  seconds: number,
): Promise<LoadOutcome> {
  seed += 1;
  const { origin, headers } = server;
  return runLoad({ origin, headers, load, connections, seconds, cores: pinning.load, seed });
}
