import { FFIType, type Pointer, toArrayBuffer } from 'bun:ffi';
import { openSystemLibrary } from '../file/system-library.ts';

const protections = { read: 1, write: 3 } as const;
const mapShared = 1;

let library: ReturnType<typeof openFunctions>;

function openFunctions() {
  return openSystemLibrary({
    mmap: {
      args: [FFIType.ptr, FFIType.u64, FFIType.i32, FFIType.i32, FFIType.i32, FFIType.i64],
      returns: FFIType.ptr,
    },
    munmap: { args: [FFIType.ptr, FFIType.u64], returns: FFIType.i32 },
  });
}

/** The beginning of a file in memory. */
export interface MappedFile extends Disposable {
  readonly address: Pointer;
  readonly memory: ArrayBuffer;
}

/**
 * Maps the beginning of an open file into memory; undefined if that fails. `Bun.mmap` would close a descriptor of the file, which ends
 * all locks of SQLite in this process.
 */
export function mapFile(
  file: number,
  bytes: number,
  access: keyof typeof protections,
): MappedFile | undefined {
  library ??= openFunctions();
  const address = library?.mmap(null, bytes, protections[access], mapShared, file, 0);
  // The error value -1 is an address that no number can hold.
  if (typeof address !== 'number') return undefined;
  return {
    address,
    memory: toArrayBuffer(address, 0, bytes),
    [Symbol.dispose]: () => void library?.munmap(address, bytes),
  };
}
