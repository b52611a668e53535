import { FFIType, toArrayBuffer } from 'bun:ffi';
import { closeSync, openSync } from 'node:fs';
import type { Connection } from './connection.ts';
import { translateError } from './errors.ts';
import { openSystemLibrary } from './file/system-library.ts';

/**
 * Sees the commits of every other connection, in this process or another. One look for each turn of the event loop would be
 * too few, as Bun may serve requests for tens of milliseconds before immediates run.
 */
export function createDataVersion(
  connection: Connection,
  index: WalIndex | undefined,
): () => number {
  const select = connection.query<{ data_version: bigint }, []>('PRAGMA data_version');
  // What SQLite tells is below 0, and what its index tells above.
  return () => index?.version() ?? -ask();

  function ask(): number {
    try {
      return Number(select.get()?.data_version);
    } catch (error) {
      throw translateError(error);
    }
  }
}

/** The start of the file beside the data that tells every process what is committed, as it is at this moment. */
export interface WalIndex extends Disposable {
  /** A number that changes whenever anything was committed; undefined where the file does not tell. */
  version(): number | undefined;
}

// Of the header, https://sqlite.org/walformat.html, section 2.1. A writer changes it last, before its commit returns.
const headerBytes = 48;
const isInitByte = 12;
const changeCounterWord = 2;
const lastFrameWord = 4;
const checksumWords = [10, 11] as const;

const protRead = 1;
const mapShared = 1;

/**
 * Maps the index of a file's log into memory, where a look costs next to nothing; undefined where that cannot be had. The file
 * stays open as long: to close it would end the locks that SQLite holds on it for this process, without which another
 * process takes itself for the only one, and cuts the index off. (`Bun.mmap` closes it at once.) So this is to be disposed of
 * only when all connections are closed.
 */
export function openWalIndex(path: string): WalIndex | undefined {
  const library = openSystemLibrary({
    mmap: {
      args: [FFIType.ptr, FFIType.u64, FFIType.i32, FFIType.i32, FFIType.i32, FFIType.i64],
      returns: FFIType.ptr,
    },
    munmap: { args: [FFIType.ptr, FFIType.u64], returns: FFIType.i32 },
  });
  // On a system whose library has another name, SQLite is asked.
  if (library === undefined) return undefined;
  const { mmap, munmap } = library;
  const file = openIfPossible(`${path}-shm`);
  if (file === undefined) return undefined;
  const address = mmap(null, headerBytes, protRead, mapShared, file, 0);
  // -1, as an address, is beyond what a number holds.
  const isMapped = typeof address === 'number';
  const readVersion = isMapped
    ? createReadVersion(toArrayBuffer(address, 0, headerBytes))
    : () => undefined;
  let isOpen = true;
  return {
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
    // Not while the index is being made anew.
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
