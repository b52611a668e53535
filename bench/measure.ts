import { runChild } from './children.ts';
import { readCpuMicroseconds } from './cpu.ts';
import type { RunningServer, Workbench } from './workbench.ts';
import { type Load, type LoadOutcome, runLoad } from './wrk.ts';

/** A server and its load. */
export interface Target {
  readonly server: RunningServer;
  readonly load: Load;
}

/** The result of one run of a load on one server. */
export interface Round extends LoadOutcome {
  readonly requestsPerSecond: number;
  /** User and system time of all threads and children of the server, and of its database, for each request. */
  readonly cpuMicroseconds: number;
  /** The share of a core that the load used. Near 1, the load was the limit, and not the server. */
  readonly loadBusyShare: number;
}

/** Figures of a round that can be compared. */
export type RoundMember =
  | 'cpuMicroseconds'
  | 'requestsPerSecond'
  | 'p50Microseconds'
  | 'p99Microseconds';

/** The rounds of each server by its name, in their order. */
export type Rounds = ReadonlyMap<string, readonly Round[]>;

/**
 * Measures several servers, one at a time and in turns (A B C, A B C, …), so that a busy machine slows all of
 * them alike. All servers run all the time, and only one works.
 */
export async function measureInTurns(
  workbench: Workbench,
  targets: readonly Target[],
  connections: number,
): Promise<Rounds> {
  const { rounds, secondsPerRound, warmUpSeconds } = workbench.pace;
  for (const { server, load } of targets) {
    if (warmUpSeconds > 0) await runLoad(workbench, server, load, connections, warmUpSeconds);
    await waitForRest(server);
  }
  const taken = new Map<string, Round[]>(targets.map(({ server }) => [server.name, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const target of targets) {
      const measured = await measureRound(workbench, target, connections, secondsPerRound);
      taken.get(target.server.name)?.push(measured);
      await waitForRest(target.server);
      workbench.tick();
    }
  }
  return taken;
}

const restPollMilliseconds = 100;
const restPollsMax = 100;

/**
 * Waits until a server has no more work, and its data is on the disk. Some servers work for more than a second on requests whose
 * client has left, on the core of the server that is measured next, and the kernel writes data later that a server did not flush.
 */
async function waitForRest({ pid }: RunningServer): Promise<void> {
  let before = readCpuMicroseconds(pid);
  for (let poll = 0; poll < restPollsMax; poll += 1) {
    await Bun.sleep(restPollMilliseconds);
    const now = readCpuMicroseconds(pid);
    // Timers of an idle server may take a moment.
    if (now - before < (restPollMilliseconds * 1000) / 4) break;
    before = now;
  }
  await runChild(['sync']);
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
