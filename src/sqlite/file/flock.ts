import { FFIType } from 'bun:ffi';
import { closeSync, fstatSync, openSync, statfsSync, statSync } from 'node:fs';
import { DatabaseUnavailable } from '../../storage/contract/database-error.ts';
import { openSystemLibrary } from './system-library.ts';

const lockExclusive = 2;
const lockNonBlocking = 4;
const unlock = 8;

/**
 * The types of NFS, SMB (three) and 9P, by statfs(2). There, flock can be a lock of the same kind as SQLite's, and exclude SQLite.
 */
const remoteTypes: readonly number[] = [0x6969, 0x517b, 0xff534d42, 0xfe534d42, 0x01021997];

let functions: ReturnType<typeof openFunctions>;

function openFunctions() {
  const library = openSystemLibrary({
    flock: { args: [FFIType.i32, FFIType.i32], returns: FFIType.i32 },
  });
  return (
    library && {
      tryLock: (file: number) => library.flock(file, lockExclusive | lockNonBlocking) === 0,
      unlock: (file: number) => library.flock(file, unlock) === 0,
    }
  );
}

/** Locks by flock(2). Each function returns whether it succeeded. Undefined if the system has no such lock. */
export function openFlock() {
  functions ??= openFunctions();
  return functions;
}

/**
 * Locks a data file itself by flock(2). The caller opens this lock before its first SQLite connection and disposes of it after
 * the last (docs/decisions/sqlite.md). Undefined if the system has no such lock.
 * @throws DatabaseUnavailable if another process holds it, or replaced the file.
 */
export function lockDataFile(path: string, inUseLine: string): Disposable | undefined {
  if (process.platform !== 'linux') return undefined;
  if (remoteTypes.includes(statfsSync(path).type)) return undefined;
  const flock = openFlock();
  if (flock === undefined) return undefined;
  using opening = new DisposableStack();
  const file = openSync(path, 'r');
  opening.defer(() => closeSync(file));
  if (!flock.tryLock(file)) {
    // Unlocking needs no free lock, so it fails only where the system or the file system has none. Between two calls, errno can change.
    if (!flock.unlock(file)) return undefined;
    throw new DatabaseUnavailable(inUseLine);
  }
  const locked = fstatSync(file, { bigint: true });
  const found = statSync(path, { bigint: true });
  if (locked.dev !== found.dev || locked.ino !== found.ino) {
    throw new DatabaseUnavailable(`${path} was replaced by another file: try again`);
  }
  return opening.move();
}
