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
