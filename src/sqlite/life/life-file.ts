import { FFIType, type Pointer, toArrayBuffer } from 'bun:ffi';
import { closeSync, fstatSync, openSync, statSync } from 'node:fs';
import { systemCode } from '../errors.ts';
import { openSystemLibrary } from '../file/system-library.ts';
import {
  changeLifeRecord,
  type LifePlace,
  type LifeRecord,
  lifeBytes,
  lifePath,
  prepareLifeRecord,
  replaceLifeRecord,
  writeLifeRecord,
} from './life-record.ts';

/** How long a server does not look whether another program has removed or replaced `NAME.life`. */
const lookMilliseconds = 1000;

type Change = Parameters<typeof changeLifeRecord>[1];

interface OpenFile {
  readonly file: number;
  readonly inode: number;
  readonly map: { readonly address: Pointer; readonly memory: Uint8Array } | undefined;
}

/**
 * Changes `NAME.life`. A server keeps it open and mapped into memory, because a write to a file also changes its time, which delays
 * the next flush of the log by tens of microseconds. It makes the file again if it is missing. A command opens it for each change.
 */
export function openLifeFile(path: string, isServer: boolean) {
  let open: OpenFile | undefined;
  let lookedAt = 0;
  let place: LifePlace | undefined;

  function openedFile(): OpenFile {
    const isDue = performance.now() - lookedAt > lookMilliseconds;
    if (open !== undefined && isDue && inodeOf(path) !== open.inode) close();
    if (isDue) lookedAt = performance.now();
    open ??= openFile(path, isServer);
    return open;
  }

  function close(): void {
    if (open !== undefined) closeFile(open);
    open = undefined;
    place = undefined;
  }

  /** Returns whether a record was written. */
  function change(changed: Change): boolean {
    try {
      place = changeLifeRecord(openedFile().file, changed);
      return place !== undefined;
    } catch (error) {
      return isServer && systemCode(error) === 'ENOENT' && replaceMissing(path, changed(undefined));
    } finally {
      if (!isServer) close();
    }
  }

  /** Makes the bytes that `write` probably needs. */
  function prepare(record: LifeRecord): void {
    if (place !== undefined) prepareLifeRecord(record, place);
  }

  /** Does the same while no other process writes a record. */
  function write(record: LifeRecord): boolean {
    try {
      const { file, map } = openedFile();
      // Memory of an emptied file would end the process.
      if (place === undefined || map === undefined || sizeOf(file) < lifeBytes) {
        return change(() => record);
      }
      place = writeLifeRecord(map.memory, record, place);
      return true;
    } catch {
      return change(() => record);
    }
  }

  return { change, prepare, write, close };
}

function inodeOf(path: string): number | undefined {
  return statSync(lifePath(path), { throwIfNoEntry: false })?.ino;
}

function openFile(path: string, isMapped: boolean): OpenFile {
  const file = openSync(lifePath(path), 'r+');
  const { ino, size } = fstatSync(file);
  return { file, inode: ino, map: isMapped && size >= lifeBytes ? mapFile(file) : undefined };
}

function closeFile({ file, map }: OpenFile): void {
  if (map !== undefined) openMapping()?.munmap(map.address, lifeBytes);
  closeSync(file);
}

const protReadWrite = 3;
const mapShared = 1;

const seekEnd = 2;

/** Faster than fstat, whose times become objects. */
function sizeOf(file: number): number {
  return Number(openMapping()?.lseek(file, 0, seekEnd) ?? fstatSync(file).size);
}

let mapping: ReturnType<typeof openFunctions> | undefined;

function openMapping() {
  mapping ??= openFunctions();
  return mapping;
}

function openFunctions() {
  return openSystemLibrary({
    lseek: { args: [FFIType.i32, FFIType.i64_fast, FFIType.i32], returns: FFIType.i64_fast },
    mmap: {
      args: [FFIType.ptr, FFIType.u64, FFIType.i32, FFIType.i32, FFIType.i32, FFIType.i64],
      returns: FFIType.ptr,
    },
    munmap: { args: [FFIType.ptr, FFIType.u64], returns: FFIType.i32 },
  });
}

function mapFile(file: number): OpenFile['map'] {
  const address = openMapping()?.mmap(null, lifeBytes, protReadWrite, mapShared, file, 0);
  // The error value -1 is an address that no number can hold.
  if (typeof address !== 'number') return undefined;
  return { address, memory: new Uint8Array(toArrayBuffer(address, 0, lifeBytes)) };
}

function replaceMissing(path: string, record: LifeRecord | undefined): boolean {
  try {
    if (record !== undefined) replaceLifeRecord(path, record);
    return record !== undefined;
  } catch {
    return false;
  }
}
