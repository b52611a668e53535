import { FFIType } from 'bun:ffi';
import { chmodSync, renameSync } from 'node:fs';
import { dirname } from 'node:path';
import { flush, freeName } from './file-system.ts';
import { openSystemLibrary } from './system-library.ts';

const text = { args: [FFIType.cstring, FFIType.cstring, FFIType.u32], returns: FFIType.i32 };

/** The current folder of the process, for a path that is not absolute (openat(2)). */
const currentFolder = -100;
const exchange = 2;

/**
 * Gives a complete file the name of another, and keeps that one as `NAME.TIME`, which is returned. At no moment is there no file of
 * this name, except on a system that cannot exchange two names. Neither file has a log.
 */
export function replaceFile(path: string, replacement: string, now: number): string {
  const kept = freeName(path, now);
  renameSync(replacement, kept);
  if (!exchangeNames(kept, path)) {
    renameSync(kept, replacement);
    renameSync(path, kept);
    renameSync(replacement, path);
  }
  // Only its owner needs it from now on.
  chmodSync(kept, 0o600);
  flush(dirname(path));
  return kept;
}

function exchangeNames(one: string, other: string): boolean {
  const names = [one, other].map((name) => Buffer.from(`${name}\0`)) as [Buffer, Buffer];
  if (process.platform === 'darwin') {
    const library = openSystemLibrary({ renamex_np: text });
    return library?.renamex_np(...names, exchange) === 0;
  }
  const library = openSystemLibrary({
    renameat2: {
      args: [FFIType.i32, FFIType.cstring, FFIType.i32, FFIType.cstring, FFIType.u32],
      returns: FFIType.i32,
    },
  });
  const [first, second] = names;
  return library?.renameat2(currentFolder, first, currentFolder, second, exchange) === 0;
}
