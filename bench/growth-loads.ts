import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { petStatuses } from '../src/domain/pet-status.ts';
import { animalStoreDialect as dialect } from './dialects.ts';
import { newPetBody } from './scenarios.ts';
import type { Load } from './wrk.ts';

/** What is measured at each size; each is one line of the plot. */
export const growthLoads = {
  first: { title: 'newest page', load: () => ({ kind: 'get', path: dialect.list() }) },
  'first-by-status': {
    title: 'newest page of a random status',
    load: () => drawn(petStatuses.map((status) => dialect.list(status))),
  },
  deep: {
    title: 'page at a random depth',
    load: (animals) => drawn(randomIds(animals).map((id) => dialect.listBelow(id))),
  },
  'deep-by-status': {
    title: 'page of a random status at a random depth',
    load: (animals) =>
      drawn(
        randomIds(animals).map((id, index) =>
          dialect.listBelow(id, petStatuses[index % petStatuses.length]),
        ),
      ),
  },
  'by-id': {
    title: 'page of one random animal',
    load: (animals) => drawn(randomIds(animals).map((id) => `${dialect.collection}?id=${id}`)),
  },
  create: {
    title: 'adding an animal',
    load: () => ({ kind: 'create', path: dialect.collection, body: newPetBody }),
  },
} as const satisfies Record<string, { title: string; load: (animals: number) => Load | DrawnLoad }>;

type DrawnLoad = Omit<Extract<Load, { kind: 'paths' }>, 'file'>;

export type GrowthLoadName = keyof typeof growthLoads;

export const growthLoadNames = Object.keys(growthLoads) as GrowthLoadName[];

/** Prepares a load for a database of so many animals, with its files in a folder. */
export function prepareGrowthLoad(folder: string, name: GrowthLoadName, animals: number): Load {
  const load: Load | DrawnLoad = growthLoads[name].load(animals);
  if (load.kind !== 'paths') return load;
  const file = join(folder, `${name}-${animals}.paths`);
  writeFileSync(file, load.paths.map((path) => `${path}\n`).join(''));
  return { ...load, file };
}

function drawn(paths: readonly string[]): DrawnLoad {
  return { kind: 'paths', paths };
}

/** More than any cache has room for, so that nearly every request is for something new. */
const randomIdsMax = 300_000;

/** Drawn evenly from all ids that have a full page below them, of any status. */
function randomIds(animals: number): readonly number[] {
  const lowest = 300;
  return Array.from({ length: Math.min(animals, randomIdsMax) }, () =>
    Math.floor(lowest + Math.random() * (animals - lowest)),
  );
}
