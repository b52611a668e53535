import { dlopen, FFIType, ptr } from 'bun:ffi';
import { closeSync, mkdirSync, openSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts';

/** A file system of its own in a file, which can be ruined as one likes. Root on Linux alone can have it. */
export interface LoopMount extends Disposable {
  readonly folder: string;
  /**
   * Drops whatever was not flushed to the disk, as a power cut does, and comes back once `endUsers` has ended
   * those who have files open.
   */
  cutPower(endUsers: () => Promise<unknown>): Promise<void>;
  /** Has the file system find itself damaged, upon which it lets nobody write any more. */
  abort(): void;
}

export type FileSystem = 'ext4' | 'xfs';

/** Why there can be no such file system here; undefined where there can. */
export function missingForMounts(fileSystem: FileSystem): string | undefined {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'needs root on Linux';
  const program = `mkfs.${fileSystem}`;
  if (Bun.which(program) === null) return `needs ${program}`;
  try {
    mountLoop(fileSystem, 512)[Symbol.dispose]();
    return undefined;
  } catch (error) {
    return cannotMount(error);
  }
}

/** Why there can be no file system of so few bytes in memory here; undefined where there can. */
export function missingForMemoryMounts(): string | undefined {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'needs root on Linux';
  try {
    mountMemory(2 ** 20)[Symbol.dispose]();
    return undefined;
  } catch (error) {
    return cannotMount(error);
  }
}

/** Root within a container often may not. */
function cannotMount(error: unknown): string {
  const { message } = error as Error;
  return `root cannot mount here: ${message.split('\n')[0]}`;
}

/** A file system of its own in memory, of so many bytes. */
export function mountMemory(bytes: number): { readonly folder: string } & Disposable {
  const outer = makeTemporaryFolder();
  const folder = join(outer.path, 'mount');
  mkdirSync(folder);
  return mounted(outer, folder, ['-t', 'tmpfs', '-o', `size=${bytes}`, 'tmpfs', folder]);
}

/** What is mounted there until it is disposed of; where it cannot be, nothing is left behind. */
function mounted(outer: TemporaryFolder, folder: string, how: readonly string[]) {
  try {
    run('mount', ...how);
  } catch (error) {
    outer[Symbol.dispose]();
    throw error;
  }
  return {
    folder,
    [Symbol.dispose]() {
      run('umount', folder);
      outer[Symbol.dispose]();
    },
  };
}

/** FS_IOC_SHUTDOWN, which file systems have for exactly such tests, and its flag to leave the log unflushed. */
const shutdownRequest = 0x8004587d;
const withoutFlush = 2;

const attemptsMax = 100;

export function mountLoop(fileSystem: FileSystem, megabytes: number): LoopMount {
  const outer = makeTemporaryFolder();
  const image = join(outer.path, 'image');
  const folder = join(outer.path, 'mount');
  writeFileSync(image, '');
  truncateSync(image, megabytes * 2 ** 20);
  mkdirSync(folder);
  run(`mkfs.${fileSystem}`, '-q', image);
  const how = ['-o', 'loop', image, folder];
  return {
    ...mounted(outer, folder, how),
    async cutPower(endUsers) {
      shutDown(folder);
      await endUsers();
      // The kernel lets go of the old mount in its own time, and until then gives the same one again.
      for (let attempt = 0; attempt < attemptsMax; attempt += 1) {
        run('umount', folder);
        run('mount', ...how);
        if (isWritable(folder)) return;
        await Bun.sleep(20);
      }
      throw new Error('The file system did not come back');
    },
    abort: () => run('mount', '-o', 'remount,abort', folder),
  };
}

function isWritable(folder: string): boolean {
  try {
    writeFileSync(join(folder, 'probe'), '');
    return true;
  } catch {
    return false;
  }
}

function shutDown(folder: string): void {
  const { symbols } = dlopen('libc.so.6', {
    ioctl: { args: [FFIType.i32, FFIType.u64, FFIType.ptr], returns: FFIType.i32 },
  });
  const file = openSync(folder, 'r');
  const result = symbols.ioctl(file, shutdownRequest, ptr(new Uint32Array([withoutFlush])));
  closeSync(file);
  if (result !== 0) throw new Error('The file system cannot be shut down');
}

export function run(...command: string[]): void {
  const { exitCode, stderr } = Bun.spawnSync(command, { stderr: 'pipe' });
  if (exitCode !== 0) throw new Error(`${command.join(' ')}: ${stderr.toString().trim()}`);
}
