import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import type { DemoResult } from './result.ts';
import { fillDatabase } from './test-animals.ts';
import type { Workbench } from './workbench.ts';

const animals = 1_000_000;

/** Fills fresh databases with a million animals each. */
export async function measureDemo(workbench: Workbench): Promise<DemoResult> {
  const seconds: number[] = [];
  for (let round = 0; round < demoRounds(workbench.pace); round += 1) {
    const folder = mkdtempSync(join(workbench.folder, 'demo-'));
    seconds.push(await fillDatabase(workbench, `sqlite:${join(folder, 'demo.db')}`, animals));
    workbench.tick();
  }
  return { animals, seconds };
}

/** It takes long by itself, so fewer rounds tell enough. */
export function demoRounds({ rounds }: Workbench['pace']): number {
  return Math.min(rounds, 3);
}
