export type FileOrFolder = { readonly file: string } | { readonly folder: string };

/** Exactly one of an argument FILE and an option with a folder, or a fault. */
export function parseFileOrFolder(
  file: string | undefined,
  flag: string,
  folder: string | undefined,
  faults: string[],
): FileOrFolder {
  if (file !== undefined && folder === undefined) return { file };
  if (file === undefined && folder) return { folder };
  if (file !== undefined) faults.push(`FILE and ${flag} exclude each other: give one of them`);
  else if (folder === undefined) faults.push(`FILE or ${flag} FOLDER is required`);
  else faults.push(`${flag} must not be empty`);
  return { folder: '' };
}
