import { closeSync, fstatSync, openSync, statSync } from 'node:fs';
import { systemCode } from '../errors.ts';
import {
  changeLifeRecord,
  type LifePlace,
  type LifeRecord,
  lifeBytes,
  lifePath,
  replaceLifeRecord,
  writeLifeRecord,
} from './life-record.ts';
import { type MappedFile, mapFile } from './map-file.ts';

/** How long a server does not look whether another program has removed or replaced `NAME.life`. */
const lookMilliseconds = 1000;

type Change = Parameters<typeof changeLifeRecord>[1];

interface OpenFile {
  readonly file: number;
  readonly inode: number;
  readonly map: MappedFile | undefined;
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

  /** Does the same while no other process writes a record. */
  function write(record: LifeRecord): boolean {
    try {
      const { file, map } = openedFile();
      // Memory of an emptied file would end the process.
      if (place === undefined || map === undefined || fstatSync(file).size < lifeBytes) {
        return change(() => record);
      }
      place = writeLifeRecord(new Uint8Array(map.memory), record, place);
      return true;
    } catch {
      return change(() => record);
    }
  }

  return { change, write, close };
}

function inodeOf(path: string): number | undefined {
  return statSync(lifePath(path), { throwIfNoEntry: false })?.ino;
}

function openFile(path: string, isMapped: boolean): OpenFile {
  const file = openSync(lifePath(path), 'r+');
  const { ino, size } = fstatSync(file);
  return {
    file,
    inode: ino,
    map: isMapped && size >= lifeBytes ? mapFile(file, lifeBytes, 'write') : undefined,
  };
}

function closeFile({ file, map }: OpenFile): void {
  map?.[Symbol.dispose]();
  closeSync(file);
}

function replaceMissing(path: string, record: LifeRecord | undefined): boolean {
  try {
    if (record !== undefined) replaceLifeRecord(path, record);
    return record !== undefined;
  } catch {
    return false;
  }
}
