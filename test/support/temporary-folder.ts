import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface TemporaryFolder extends Disposable {
  readonly path: string;
}

/** On a disk, also if `bun test` keeps other folders in memory. */
export const diskFolder = process.env.ANIMAL_STORE_TEST_DISK ?? tmpdir();

/** A new folder that is removed when the test ends. */
export function makeTemporaryFolder(parent = tmpdir()): TemporaryFolder {
  const path = mkdtempSync(join(parent, 'animal-store-'));
  return {
    path,
    [Symbol.dispose]() {
      rmSync(path, { recursive: true, force: true });
    },
  };
}
