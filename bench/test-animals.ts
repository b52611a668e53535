import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { createPetSource } from '../src/cli/demo.ts';
import { runChild } from './children.ts';
import { thisVersion, type Version } from './versions.ts';
import type { Workbench } from './workbench.ts';

/** The animals that all servers start with, in the forms they take them. */
export interface TestAnimals {
  /** Of a JSON file: `{"pets":[…]}`, each animal with its id. */
  readonly animalsPath: string;
  /** A database of ours with the animals, which nobody else touches; returns its `DATABASE_URL`. */
  copyDatabase(): string;
}

export async function prepareTestAnimals(workbench: Workbench): Promise<TestAnimals> {
  const { folder, animals } = workbench;
  const templatePath = join(folder, 'template.db');
  await fillDatabase(workbench, `sqlite:${templatePath}`, animals);

  const nextPet = createPetSource(1);
  const pets = Array.from({ length: animals }, (_, index) => {
    const { name, categoryId, status } = nextPet();
    return { id: index + 1, name, categoryId: Number(categoryId), status };
  });
  const animalsPath = join(folder, 'animals.json');
  await Bun.write(animalsPath, JSON.stringify({ pets }));

  let copyCount = 0;
  return {
    animalsPath,
    copyDatabase() {
      copyCount += 1;
      const path = join(folder, `copy-${copyCount}.db`);
      copyFileSync(templatePath, path);
      return `sqlite:${path}`;
    },
  };
}

/** Fills a database with demo animals, with its own command; returns the seconds it took. */
export async function fillDatabase(
  { pinning }: Workbench,
  databaseUrl: string,
  animals: number,
  version: Version = thisVersion,
): Promise<number> {
  const startedAt = performance.now();
  await runChild(
    [...version.command, 'demo', '--animals', `${animals}`],
    // The load's core is idle then, and the command has two threads.
    { cores: pinning.both, env: { DATABASE_URL: databaseUrl } },
  );
  return (performance.now() - startedAt) / 1000;
}
