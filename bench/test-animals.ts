import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { createPetSource } from '../src/cli/demo.ts';
import { petToJson } from '../src/domain/pet.ts';
import { runChild } from './children.ts';
import { thisVersion, type Version } from './versions.ts';
import type { Workbench } from './workbench.ts';

/** A file for a server of static files. */
export interface StaticFile {
  readonly path: string;
  readonly body: string;
}

/** The animals with which all servers start, in the formats that they read. */
export interface TestAnimals {
  readonly count: number;
  /** The path of a JSON file: `{"pets":[…]}`, each animal with its id. */
  readonly animalsPath: string;
  /** The newest page, and each animal, as our server answers. */
  readonly files: readonly StaticFile[];
  /** Copies our database with the animals. Returns the `DATABASE_URL` of the copy. */
  copyDatabase(): string;
}

export async function prepareTestAnimals(
  workbench: Workbench,
  count: number,
): Promise<TestAnimals> {
  const { folder } = workbench;
  const templatePath = join(folder, 'template.db');
  await fillDatabase(workbench, `sqlite:${templatePath}`, count);

  const nextPet = createPetSource(1);
  const pets = Array.from({ length: count }, (_, index) => {
    const { name, categoryId, status = 'available' } = nextPet();
    return JSON.stringify(petToJson({ id: BigInt(index + 1), name, categoryId, status }));
  });
  const animalsPath = join(folder, 'animals.json');
  await Bun.write(animalsPath, `{"pets":[${pets.join(',')}]}`);
  const newest = `[${pets.slice(-20).toReversed().join(',')}]`;
  const single = pets.map((body, index) => ({ path: `/v1/pets/${index + 1}`, body }));

  let copyCount = 0;
  return {
    count,
    animalsPath,
    files: [{ path: '/newest', body: newest }, ...single],
    copyDatabase() {
      copyCount += 1;
      const path = join(folder, `copy-${copyCount}.db`);
      copyFileSync(templatePath, path);
      return `sqlite:${path}`;
    },
  };
}

/** Fills a database with demo animals, with the command of a version. Returns the seconds. */
export async function fillDatabase(
  { pinning }: Workbench,
  databaseUrl: string,
  animals: number,
  version: Version = thisVersion,
): Promise<number> {
  const startedAt = performance.now();
  await runChild(
    [...version.command, 'demo', '--animals', `${animals}`],
    // The core of the load is idle then, and the command has two threads.
    { cores: pinning.both, env: { DATABASE_URL: databaseUrl } },
  );
  return (performance.now() - startedAt) / 1000;
}
