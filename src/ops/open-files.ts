import { readdir, readFile } from 'node:fs/promises';

export interface OpenFiles {
  /** Files, sockets and pipes that the process has open. */
  readonly open: number;
  readonly max: number;
}

/** Reads how many files the process has open, and how many it may have. Undefined on systems without /proc. */
export async function readOpenFiles(): Promise<OpenFiles | undefined> {
  try {
    const [names, limits] = await Promise.all([
      readdir('/proc/self/fd'),
      readFile('/proc/self/limits', 'utf8'),
    ]);
    const [, softLimit] = /^Max open files +([0-9]+)/m.exec(limits) ?? [];
    return { open: names.length, max: Number(softLimit) };
  } catch {
    return undefined;
  }
}
