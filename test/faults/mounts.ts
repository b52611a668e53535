import { dlopen, FFIType, ptr } from 'bun:ffi';
import { closeSync, mkdirSync, openSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

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
  return Bun.which(program) === null ? `needs ${program}` : undefined;
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
  const mount = () => run('mount', '-o', 'loop', image, folder);
  const unmount = () => run('umount', folder);
  mount();
  return {
    folder,
    async cutPower(endUsers) {
      shutDown(folder);
      await endUsers();
      // The kernel lets go of the old mount in its own time, and until then gives the same one again.
      for (let attempt = 0; attempt < attemptsMax; attempt += 1) {
        unmount();
        mount();
        if (isWritable(folder)) return;
        await Bun.sleep(20);
      }
      throw new Error('The file system did not come back');
    },
    abort: () => run('mount', '-o', 'remount,abort', folder),
    [Symbol.dispose]() {
      unmount();
      rmSync(outer.path, { recursive: true, force: true });
    },
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
