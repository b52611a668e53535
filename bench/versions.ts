import { existsSync, mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { CliFailure } from '../src/terminal/cli-failure.ts';
import { runChild } from './children.ts';

/** A version of the program: its command, without arguments. */
export interface Version {
  readonly command: readonly string[];
}

/** The sources of this file. */
export const thisVersion: Version = {
  command: [process.execPath, join(import.meta.dir, '../src/main.ts')],
};

/** The version in a folder, or of a revision, which is checked out into a new folder with its dependencies. */
export async function prepareVersion(name: string, runFolder: string): Promise<Version> {
  const folder = existsSync(join(name, 'src/main.ts'))
    ? resolve(name)
    : await checkOut(name, runFolder);
  return { command: [join(folder, 'node_modules/.bin/bun'), join(folder, 'src/main.ts')] };
}

async function checkOut(revision: string, runFolder: string): Promise<string> {
  const folder = join(runFolder, `version-${revision.replaceAll(/[^A-Za-z0-9.-]/g, '-')}`);
  const archive = `${folder}.tar`;
  mkdirSync(folder);
  try {
    const root = join(import.meta.dir, '..');
    await runChild(['git', 'archive', `--output=${archive}`, revision], { folder: root });
    await runChild(['tar', '--extract', `--file=${archive}`], { folder });
    await runChild(['npm', 'ci', '--omit=dev', '--silent'], { folder });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CliFailure(`${revision} cannot be prepared: ${reason}`);
  }
  return folder;
}
