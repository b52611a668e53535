import { existsSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The time of day as some processes are told it, which jumps when it is set. Steady clocks go on. */
export interface WallClock {
  /** For the environment of those who are to go by it. */
  readonly env: Record<string, string>;
  /** Seconds that it is ahead of the real one; negative where it is behind. */
  readonly offsetSeconds: number;
  /** Milliseconds since 1970, as it says now. */
  now(): number;
  set(offsetSeconds: number): void;
}

/** Why there can be none here; undefined where there can. */
export function missingForWallClock(): string | undefined {
  return findLibrary() === undefined ? 'needs libfaketime (package faketime)' : undefined;
}

/** Where Debian, Fedora and others keep it. */
function findLibrary(): string | undefined {
  if (process.platform !== 'linux') return undefined;
  const folders = ['/usr/lib64', '/usr/lib', '/usr/local/lib', ...subfolders('/usr/lib')];
  return folders
    .map((folder) => join(folder, 'faketime', 'libfaketime.so.1'))
    .find((path) => existsSync(path));
}

function subfolders(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => name.includes('-linux-'))
    .map((name) => join(folder, name));
}

/** A clock that says the real time until it is set. */
export function makeWallClock(folder: string): WallClock {
  const path = join(folder, 'clock');
  let offsetSeconds = 0;
  function set(seconds: number): void {
    offsetSeconds = seconds;
    // Whoever reads it meanwhile finds the old time or the new one, and no empty file.
    writeFileSync(`${path}.next`, `${seconds < 0 ? '' : '+'}${seconds}\n`);
    renameSync(`${path}.next`, path);
  }
  set(0);
  return {
    env: {
      LD_PRELOAD: findLibrary() ?? '',
      FAKETIME_TIMESTAMP_FILE: path,
      FAKETIME_NO_CACHE: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
      NO_FAKE_STAT: '1',
    },
    get offsetSeconds() {
      return offsetSeconds;
    },
    now: () => Date.now() + offsetSeconds * 1000,
    set,
  };
}
