import { dlopen, FFIType, ptr } from 'bun:ffi';
import { closeSync, mkdirSync, openSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts';

/** A file system in a file, for tests that damage it. It needs root on Linux. */
interface LoopMount extends Disposable {
  readonly folder: string;
  /**
   * Loses everything that was not flushed to the disk, like a power cut. `endUsers` must end the processes that have
   * files open. Then the file system is mounted again.
   */
  cutPower(endUsers: () => Promise<unknown>): Promise<void>;
  /** Makes the file system read-only, as after it has found damage. */
  abort(): void;
}

export type FileSystem = 'ext4' | 'xfs';

/** Returns the reason why such a file system cannot be mounted here. */
export function missingForMounts(fileSystem: FileSystem): string | undefined {
  const program = `mkfs.${fileSystem}`;
  return Bun.which(program) === null
    ? `needs ${program}`
    : missingFor(() => mountLoop(fileSystem, 512));
}

/** Returns the reason why no file system in memory can be mounted here. */
export function missingForMemoryMounts(): string | undefined {
  return missingFor(() => mountMemory(2 ** 20));
}

function missingFor(mount: () => Disposable): string | undefined {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'needs root on Linux';
  try {
    mount()[Symbol.dispose]();
    return undefined;
  } catch (error) {
    // In a container, root often has no right to mount.
    const { message } = error as Error;
    return `root cannot mount here: ${message.split('\n')[0]}`;
  }
}

/** A file system in memory, of a fixed size. */
export function mountMemory(bytes: number): { readonly folder: string } & Disposable {
  const outer = makeTemporaryFolder();
  const folder = join(outer.path, 'mount');
  mkdirSync(folder);
  return mounted(outer, folder, ['-t', 'tmpfs', '-o', `size=${bytes}`, 'tmpfs', folder]);
}

/** Mounts a file system until it is disposed. If that fails, no folder remains. */
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

/** FS_IOC_SHUTDOWN, which file systems offer for such tests, and its flag not to flush the log. */
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
      // Until the kernel has released the old mount, it returns the same one again.
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
