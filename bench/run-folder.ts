import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { misused } from '../src/cli/command-line.ts';
import { killChildren } from './children.ts';

/** Makes the folder of a run. Whatever ends this program, neither files nor processes stay behind. */
export function makeRunFolder(parent: string): string {
  const folder = tryToMakeFolder(parent);
  process.on('exit', () => {
    killChildren();
    rmSync(folder, { recursive: true, force: true });
  });
  process.on('SIGINT', () => process.exit(130));
  process.on('SIGTERM', () => process.exit(143));
  return folder;
}

function tryToMakeFolder(parent: string): string {
  try {
    return mkdtempSync(join(parent, 'animal-store-bench-'));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw misused(`--folder must be a folder that can be written to: ${reason}`);
  }
}
