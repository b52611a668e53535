import { readCpuMicroseconds } from '../cpu.ts';
import { loadOnce, type Target } from '../measure.ts';
import type { SeveralServersResult } from '../result.ts';
import { startAnimalStore } from '../servers/animal-store.ts';
import type { Workbench } from '../workbench.ts';
import type { Load, LoadOutcome } from '../wrk.ts';

const serversMax = 3;

/** How servers are put under load: those of a group at once, one group after the other. */
type Groups = readonly (readonly Target[])[];

/** How many rounds that is, for the progress bar. */
export function severalServersTicks({ rounds }: Workbench['pace']): number {
  return 3 * rounds;
}

/** What a load costs a server with a database to itself, and several that share another one, in turns. */
export async function measureSeveralServers(
  workbench: Workbench,
  databaseUrls: { readonly own: string; readonly shared: string },
  load: Load,
  connections: number,
): Promise<readonly SeveralServersResult[]> {
  await using running = new AsyncDisposableStack();
  async function start(databaseUrl: string): Promise<Target> {
    const target = {
      server: running.use(await startAnimalStore(workbench, { databaseUrl })),
      load,
    };
    await loadOnce(workbench, target, connections, workbench.pace.warmUpSeconds);
    return target;
  }
  const alone = await start(databaseUrls.own);
  const sharing: Target[] = [];
  while (sharing.length < serversMax) sharing.push(await start(databaseUrls.shared));

  const ways: Record<SeveralServersResult['way'], Groups> = {
    alone: [[alone]],
    'one after the other': sharing.map((target) => [target]),
    'at once': [sharing],
  };
  const results = Object.entries(ways).map(([way, groups]) => ({
    way: way as SeveralServersResult['way'],
    servers: groups.flat().length,
    groups,
    rounds: [] as SeveralServersResult['rounds'][number][],
  }));
  for (let round = 0; round < workbench.pace.rounds; round += 1) {
    for (const { groups, rounds } of results) {
      rounds.push(await measureGroups(workbench, groups, connections));
      workbench.tick();
    }
  }
  return results.map(({ way, servers, rounds }) => ({ way, servers, rounds }));
}

async function measureGroups(
  workbench: Workbench,
  groups: Groups,
  connections: number,
): Promise<SeveralServersResult['rounds'][number]> {
  const readCpu = () => sum(groups.flat().map(({ server }) => readCpuMicroseconds(server.pid)));
  const cpuBefore = readCpu();
  const outcomes: LoadOutcome[] = [];
  for (const group of groups) {
    const loads = group.map((target) =>
      loadOnce(workbench, target, connections, workbench.pace.secondsPerRound),
    );
    outcomes.push(...(await Promise.all(loads)));
  }
  return {
    cpuMicrosecondsPerRequest:
      (readCpu() - cpuBefore) / sum(outcomes.map(({ requests }) => requests)),
    failedRequests: sum(outcomes.map(({ failedRequests }) => failedRequests)),
  };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
