import { closeSync, openSync, rmSync, writeSync } from 'node:fs';

/** Gives the program a file system of its own at `folder`, of a fixed size, which ends with the process. */
export function onSmallDisk(folder: string, bytes: number): string[] {
  const script = `mount -t tmpfs -o size=${bytes} tmpfs "$0" && exec "$@"`;
  return ['unshare', '--user', '--map-root-user', '--mount', 'sh', '-c', script, folder];
}

/** Gives the program a folder that it cannot write to. */
export function onReadOnlyFolder(folder: string): string[] {
  const script = 'mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" && exec "$@"';
  return ['unshare', '--user', '--map-root-user', '--mount', 'sh', '-c', script, folder];
}

/** Whether this machine lets its users mount file systems. Linux does, unless that is forbidden. */
export function hasSmallDisks(folder: string): boolean {
  try {
    return Bun.spawnSync([...onSmallDisk(folder, 65_536), 'true']).exitCode === 0;
  } catch {
    return false;
  }
}

/** Fills the rest of a process's file system at `folder`, to the last byte, until it is disposed. */
export function fillDisk(pid: number, folder: string): Disposable {
  const path = `/proc/${pid}/root${folder}/filler`;
  const file = openSync(path, 'w');
  for (let bytes = 65_536; bytes >= 1; ) {
    try {
      writeSync(file, new Uint8Array(bytes));
    } catch {
      bytes = Math.floor(bytes / 2);
    }
  }
  closeSync(file);
  return { [Symbol.dispose]: () => rmSync(path) };
}
