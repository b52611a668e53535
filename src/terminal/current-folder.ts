import { statSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { CliFailure } from './cli-failure.ts';

/**
 * Rejects a relative path if the current folder is not the one that its path names, for example after a deployment replaced it.
 * Bun then resolves relative paths in the folder of its own program (https://github.com/oven-sh/bun/issues/41870).
 */
export function checkCurrentFolder(path: string): void {
  if (isAbsolute(path)) return;
  const fault = findFault();
  if (fault === undefined) return;
  throw new CliFailure(
    `The current folder ${fault}, so ${path} cannot be found: change to another folder and back, or give an absolute path`,
  );
}

function findFault(): string | undefined {
  try {
    const [current, named] = ['.', process.cwd()].map((path) => statSync(path, { bigint: true }));
    const isSame = current?.dev === named?.dev && current?.ino === named?.ino;
    return isSame ? undefined : 'was replaced';
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    return faults[code] ?? `cannot be read (${code})`;
  }
}

const faults: Readonly<Record<string, string>> = {
  ENOENT: 'was removed',
  ESTALE: 'was removed',
  ERANGE: 'has too long a path',
  ENAMETOOLONG: 'has too long a path',
  EACCES: 'cannot be read by this user',
};
