import { ftruncateSync, statfsSync, statSync, writeSync } from 'node:fs';
import { openDescriptor } from './descriptor.ts';
import { makeIfMissing } from './file-system.ts';

// On a full disk, a server must start for reads, and a leaked key must be revocable. Both need some kilobytes, for the index of the
// log and for the log. So each server keeps a file `NAME.reserve` of this size beside its data, which is cut in steps.

const reserveBytesMax = 2 ** 20;

/** Enough for the index of a log of 12 000 pages, and for a transaction that takes access away. */
const stepBytes = 2 ** 17;

/** On a small disk, the reserve is at most this part of the free space. */
const freeShare = 1 / 8;

function reservePath(path: string): string {
  return `${path}.reserve`;
}

/** Makes the reserve, or makes it complete again, if the disk has space. It fails silently, because it is no data. */
export function fillReserve(path: string): void {
  const name = reservePath(path);
  try {
    const found = statSync(name, { throwIfNoEntry: false })?.size ?? 0;
    if (found >= reserveBytesMax) return;
    const { bavail, bsize } = statfsSync(path);
    const steps = Math.floor((bavail * bsize * freeShare) / stepBytes);
    const bytesMax = Math.min(reserveBytesMax, steps * stepBytes);
    if (found >= bytesMax) return;
    makeIfMissing(name);
    using file = openDescriptor(name, 'r+');
    // Random, because some file systems keep no space for zeros.
    const bytes = crypto.getRandomValues(new Uint8Array(2 ** 16));
    for (let at = 0; at < bytesMax; at += bytes.length) {
      writeSync(file.descriptor, bytes, 0, bytes.length, at);
    }
  } catch {
    // The disk is full or read-only.
  }
}

/** Every step once. */
const releasesMax = reserveBytesMax / stepBytes;

/** Runs a function, and frees a step of the reserve each time that the disk is full for it. */
export async function withReserve<Result>(
  path: string,
  run: () => Promise<Result>,
): Promise<Result> {
  for (let releases = 0; ; releases += 1) {
    try {
      return await run();
    } catch (error) {
      if (releases === releasesMax || !isDiskFull(error) || !releaseReserve(path)) throw error;
    }
  }
}

/** An error of a thread has only its message. */
function isDiskFull(error: unknown): boolean {
  return error instanceof Error && fullCodes.test(`${error.message} ${messageOfCause(error)}`);
}

function messageOfCause({ cause }: Error): string {
  return cause instanceof Error ? cause.message : '';
}

const fullCodes = /SQLITE_FULL|SQLITE_IOERR_SHMSIZE|ENOSPC|EDQUOT/;

/** Frees one step of the reserve. Returns whether there was one. */
export function releaseReserve(path: string): boolean {
  try {
    using file = openDescriptor(reservePath(path), 'r+');
    const { size } = statSync(reservePath(path));
    if (size === 0) return false;
    ftruncateSync(file.descriptor, Math.max(0, size - stepBytes));
    return true;
  } catch {
    return false;
  }
}
