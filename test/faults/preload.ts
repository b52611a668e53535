import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { run as runCommand } from './mounts.ts';

/** Returns the reason why C libraries cannot be built and preloaded here. */
export function missingForPreload(): string | undefined {
  return process.platform !== 'linux' || Bun.which('cc') === null
    ? 'needs Linux and a C compiler (cc)'
    : undefined;
}

/** Builds a library into a folder. Returns its path, for `LD_PRELOAD`. */
export function buildLibrary(folder: string, name: 'io-error' | 'slow-flush'): string {
  const library = join(folder, `${name}.so`);
  const source = join(import.meta.dir, `${name}.c`);
  runCommand('cc', '-shared', '-fPIC', '-O2', '-o', library, source, '-ldl');
  return library;
}

/** Calls after which the disk has a new durable state. There are few of them. */
export const turns = 'fsync fdatasync ftruncate rename unlink';

export interface IoFault {
  /** Which of the calls fails, from 1. */
  readonly at: number;
  /** Names of the calls, separated by spaces. By default writes and flushes. */
  readonly calls?: string;
  /** What happens at the call. LASTS: it fails, and every later one too. */
  readonly effect: 'FAILS' | 'LASTS' | 'KILLS' | 'STOPS';
}

/** Causes faults at calls of one program after the other. */
export interface IoFaults {
  /** The environment of a program in which one call has this fault. */
  env(fault: IoFault): Record<string, string>;
  /** Whether the program of the last `env` has reached the call. */
  wasReached(): boolean;
}

export function createIoFaults(folder: string): IoFaults {
  const library = buildLibrary(folder, 'io-error');
  const reached = join(folder, 'reached');
  return {
    env({ at, calls, effect }) {
      rmSync(reached, { force: true });
      return {
        LD_PRELOAD: library,
        IO_ERROR_AT: String(at),
        IO_ERROR_COUNTER: reached,
        ...(calls && { IO_ERROR_CALLS: calls }),
        ...(effect !== 'FAILS' && { [`IO_ERROR_${effect}`]: '1' }),
      };
    },
    wasReached: () => existsSync(reached),
  };
}
