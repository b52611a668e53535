import { readMemory } from './cpu.ts';
import { animalStoreDialect as dialect } from './dialects.ts';
import { growthLoadNames, prepareGrowthLoad } from './growth-loads.ts';
import { loadOnce } from './measure.ts';
import type { Memory } from './result.ts';
import { startAnimalStore } from './servers/animal-store.ts';
import type { RunningServer } from './servers/running-server.ts';
import type { Workbench } from './workbench.ts';

/** Milliseconds from the start of the process to the whole of the first page. */
export async function measureStart(workbench: Workbench, databaseUrl: string): Promise<number> {
  const startedAt = performance.now();
  await using server = await startAnimalStore(workbench, { databaseUrl });
  await fetchFirstPage(server);
  return performance.now() - startedAt;
}

const idleMilliseconds = 2000;
const connections = 256;

/** Memory of our server as it is by default: when nobody asks, and after every kind of load. */
export async function measureMemory(
  workbench: Workbench,
  folder: string,
  databaseUrl: string,
  animals: number,
): Promise<{ readonly idle: Memory; readonly loaded: Memory }> {
  await using server = await startAnimalStore(workbench, { databaseUrl });
  await fetchFirstPage(server);
  await Bun.sleep(idleMilliseconds);
  const idle = readMemory(server.pid);
  for (const name of growthLoadNames) {
    const load = prepareGrowthLoad(folder, name, animals);
    await loadOnce(workbench, { server, load }, connections, workbench.pace.secondsPerRound);
    workbench.tick();
  }
  return { idle, loaded: readMemory(server.pid) };
}

async function fetchFirstPage({ origin, headers }: RunningServer): Promise<void> {
  const response = await fetch(`${origin}${dialect.list()}`, { headers });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`The first page is ${response.status}: ${text}`);
}
