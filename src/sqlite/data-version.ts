import { FFIType, toArrayBuffer } from 'bun:ffi';
import { closeSync, openSync } from 'node:fs';
import type { Connection } from './connection.ts';
import { translateError } from './errors.ts';
import { openSystemLibrary } from './file/system-library.ts';

/**
 * Returns a number that changes with commits of other connections, of this process and others. It is read for each request,
 * because Bun may serve requests for tens of milliseconds in one turn of the event loop.
 */
export function createDataVersion(
  connection: Connection,
  index: ReturnType<typeof openWalIndex>,
): () => number {
  const select = connection.query<{ data_version: bigint }, []>('PRAGMA data_version');
  // Versions of SQLite are negative, and those of its index positive.
  return () => index?.version() ?? -askSqlite();

  function askSqlite(): number {
    try {
      return Number(select.get()?.data_version);
    } catch (error) {
      throw translateError(error);
    }
  }
}

// Offsets in the header of the log's index (https://sqlite.org/walformat.html, section 2.1). It shows the latest commit to every
// process. A writer changes it last, before its commit returns.
const headerBytes = 48;
const isInitByte = 12;
const changeCounterWord = 2;
const lastFrameWord = 4;
const checksumWords = [10, 11] as const;

const protRead = 1;
const mapShared = 1;

/**
 * Maps the index of a file's log into memory; undefined if that fails. Dispose of it only when all connections are closed,
 * because closing the index ends the locks of SQLite (docs/decisions/caching.md).
 */
export function openWalIndex(path: string) {
  const library = openSystemLibrary({
    mmap: {
      args: [FFIType.ptr, FFIType.u64, FFIType.i32, FFIType.i32, FFIType.i32, FFIType.i64],
      returns: FFIType.ptr,
    },
    munmap: { args: [FFIType.ptr, FFIType.u64], returns: FFIType.i32 },
  });
  if (library === undefined) return undefined;
  const { mmap, munmap } = library;
  const file = openIfPossible(`${path}-shm`);
  if (file === undefined) return undefined;
  const address = mmap(null, headerBytes, protRead, mapShared, file, 0);
  // The error value -1 is an address that no number can hold.
  const isMapped = typeof address === 'number';
  const readVersion = isMapped
    ? createReadVersion(toArrayBuffer(address, 0, headerBytes))
    : () => undefined;
  let isOpen = true;
  return {
    /** A number that changes with every commit; undefined if the header is not valid now. */
    version: () => (isOpen ? readVersion() : undefined),
    [Symbol.dispose]() {
      isOpen = false;
      if (isMapped) munmap(address, headerBytes);
      closeSync(file);
    },
  };
}

function openIfPossible(path: string): number | undefined {
  try {
    return openSync(path, 'r');
  } catch {
    return undefined;
  }
}

function createReadVersion(header: ArrayBuffer): () => number | undefined {
  const bytes = new Uint8Array(header);
  const words = new Uint32Array(header);
  const [first, second] = checksumWords;
  let seen: readonly (number | undefined)[] = [];
  let version = 0;
  return () => {
    // The index is being rebuilt.
    if (bytes[isInitByte] !== 1) return undefined;
    if (
      seen[0] !== words[first] ||
      seen[1] !== words[second] ||
      seen[2] !== words[lastFrameWord] ||
      seen[3] !== words[changeCounterWord]
    ) {
      seen = [words[first], words[second], words[lastFrameWord], words[changeCounterWord]];
      version += 1;
    }
    return version;
  };
}
