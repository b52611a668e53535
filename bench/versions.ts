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

/**
 * The version in a folder, or of a revision, in a new folder with its dependencies. Both are installed alike, because the same sources
 * took 7 % longer with packages behind a symbolic link.
 */
export async function prepareVersion(name: string, runFolder: string): Promise<Version> {
  const isFolder = existsSync(join(name, 'src/main.ts'));
  const folder = join(runFolder, `version-${name.replaceAll(/[^A-Za-z0-9.-]/g, '-')}`);
  const archive = `${folder}.tar`;
  const here = isFolder ? resolve(name) : join(import.meta.dir, '..');
  mkdirSync(folder);
  try {
    if (isFolder) {
      // With changes that are not committed.
      const list = 'git ls-files -z --cached --others --exclude-standard';
      const pack = `${list} | tar --create --null --files-from=- --file="$0" --ignore-failed-read`;
      await runChild(['sh', '-c', pack, archive], { folder: here });
    } else {
      await runChild(['git', 'archive', `--output=${archive}`, name], { folder: here });
    }
    await runChild(['tar', '--extract', `--file=${archive}`], { folder });
    await runChild(['npm', 'ci', '--omit=dev', '--silent'], { folder });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CliFailure(`${name} cannot be prepared: ${reason}`);
  }
  return { command: [join(folder, 'node_modules/.bin/bun'), join(folder, 'src/main.ts')] };
}
