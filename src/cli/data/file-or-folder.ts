import { checkCurrentFolder } from '../../terminal/current-folder.ts';
import { checkPath } from '../open-database.ts';

export type FileOrFolder = { readonly file: string } | { readonly folder: string };

/** Reads an argument FILE, or an option with a folder. Anything but exactly one of them is a fault. */
export function readFileOrFolder(
  file: string | undefined,
  flag: string,
  folder: string | undefined,
): { readonly target: FileOrFolder; readonly faults: string[] } {
  const target = file === undefined ? { folder: folder ?? '' } : { file };
  const faults: string[] = [];
  if (file !== undefined && folder !== undefined) {
    faults.push(`FILE and ${flag} exclude each other: give one of them`);
  }
  if (file === undefined && folder === undefined) {
    faults.push(`FILE or ${flag} FOLDER is required`);
  }
  if (file === undefined && folder === '') faults.push(`${flag} must not be empty`);
  return { target, faults };
}

/** Rejects a path that is certainly not the one that was meant. */
export async function checkFileOrFolder(target: FileOrFolder): Promise<void> {
  if ('file' in target) await checkPath(target.file);
  else checkCurrentFolder(target.folder);
}
