import { existsSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A clock that some processes use as the time of day. It jumps when it is set. Monotonic clocks do not change. */
export interface WallClock {
  /** For the environment of the processes that use it. */
  readonly env: Record<string, string>;
  /** Seconds ahead of the real time; negative if it is behind. */
  readonly offsetSeconds: number;
  /** Its time in milliseconds since 1970. */
  now(): number;
  set(offsetSeconds: number): void;
}

/** Returns the reason why no such clock is available here. */
export function missingForWallClock(): string | undefined {
  return findLibrary() === undefined ? 'needs libfaketime (package faketime)' : undefined;
}

/** The paths of Debian, Fedora and others. */
function findLibrary(): string | undefined {
  if (process.platform !== 'linux') return undefined;
  const folders = [
    '/usr/lib64',
    '/usr/lib',
    '/usr/local/lib',
    ...readdirSync('/usr/lib').map((name) => join('/usr/lib', name)),
  ];
  return folders
    .map((folder) => join(folder, 'faketime', 'libfaketime.so.1'))
    .find((path) => existsSync(path));
}

/** Creates a clock with the real time. */
export function makeWallClock(folder: string): WallClock {
  const path = join(folder, 'clock');
  let offsetSeconds = 0;
  function set(seconds: number): void {
    offsetSeconds = seconds;
    // A rename, so that no process reads an empty file.
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
