import { closeSync, openSync } from 'node:fs';

/** Opens a file for a few synchronous calls. Disposing of it closes the file. */
export function openDescriptor(path: string, flags: string, mode?: number) {
  const descriptor = openSync(path, flags, mode);
  return { descriptor, [Symbol.dispose]: () => closeSync(descriptor) };
}
