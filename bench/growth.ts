import { mkdtempSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { measureMemory, measureStart } from './growth-life.ts';
import { growthLoadNames, growthLoads, prepareGrowthLoad } from './growth-loads.ts';
import { measureInTurns } from './measure.ts';
import type { GrowthCost, GrowthResult, GrowthSize } from './result.ts';
import { startAnimalStore } from './servers/animal-store.ts';
import { fillDatabase } from './test-animals.ts';
import type { Workbench } from './workbench.ts';

const connections = 32;

/** What comes from the response cache costs the same whatever lies behind it: with it, growth would not show. */
const withoutCache = ['--response-cache-megabytes', '0'] as const;

/** A database of one size. */
interface FilledDatabase {
  readonly animals: number;
  readonly path: string;
  readonly fillSeconds: number;
  readonly fileBytes: number;
}

/** What growing costs: the same requests on databases of very different sizes, in turns. */
export async function measureGrowth(workbench: Workbench): Promise<GrowthResult> {
  const folder = mkdtempSync(join(workbench.folder, 'growth-'));
  const databases: FilledDatabase[] = [];
  for (const animals of workbench.pace.growthAnimals) {
    const path = join(folder, `${animals}.db`);
    const fillSeconds = await fillDatabase(workbench, `sqlite:${path}`, animals);
    databases.push({ animals, path, fillSeconds, fileBytes: statSync(path).size });
    workbench.tick();
  }
  const starts = await measureStarts(workbench, databases);
  // The costs come before the memory, whose loads add many more animals to a small database than to a large one.
  const costs = await measureCosts(workbench, folder, databases);
  const sizes: GrowthSize[] = [];
  for (const { path, ...size } of databases) {
    const memory = await measureMemory(workbench, folder, `sqlite:${path}`, size.animals);
    sizes.push({ ...size, ...memory, startMilliseconds: starts.get(path) ?? [] });
  }
  return { connections, sizes, costs };
}

/** How many rounds that is, for the progress bar. */
export function growthTicks({ growthAnimals, rounds }: Workbench['pace']): number {
  const loads = growthLoadNames.length;
  return growthAnimals.length * (1 + rounds * loads + loads) + rounds;
}

async function measureStarts(
  workbench: Workbench,
  databases: readonly FilledDatabase[],
): Promise<ReadonlyMap<string, readonly number[]>> {
  const starts = new Map<string, number[]>(databases.map(({ path }) => [path, []]));
  for (let round = 0; round < workbench.pace.rounds; round += 1) {
    for (const { path } of databases) {
      starts.get(path)?.push(await measureStart(workbench, `sqlite:${path}`));
    }
    workbench.tick();
  }
  return starts;
}

async function measureCosts(
  workbench: Workbench,
  folder: string,
  databases: readonly FilledDatabase[],
): Promise<readonly GrowthCost[]> {
  await using servers = new AsyncDisposableStack();
  const running = [];
  for (const { animals, path } of databases) {
    const options = { databaseUrl: `sqlite:${path}`, arguments: withoutCache };
    running.push({ animals, server: servers.use(await startAnimalStore(workbench, options)) });
  }
  const costs: GrowthCost[] = [];
  for (const name of growthLoadNames) {
    const targets = running.map(({ animals, server }) => ({
      server: { ...server, name: `${animals}` },
      load: prepareGrowthLoad(folder, name, animals),
    }));
    const measurements = await measureInTurns(workbench, targets, [connections]);
    costs.push({ name, title: growthLoads[name].title, measurements });
  }
  return costs;
}
