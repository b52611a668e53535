import { dlopen, type FFIFunction } from 'bun:ffi';

const libraryNames: Readonly<Record<string, string>> = {
  linux: 'libc.so.6',
  darwin: 'libSystem.B.dylib',
};

/** Functions of the C library; undefined if this system names it differently. */
export function openSystemLibrary<Functions extends Record<string, FFIFunction>>(
  functions: Functions,
) {
  try {
    return dlopen(libraryNames[process.platform] ?? '', functions).symbols;
  } catch {
    return undefined;
  }
}
