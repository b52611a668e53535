import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { arch } from 'node:process';
import { runChild } from '../children.ts';

export const peersFolder = import.meta.dir;

const modulesFolder = join(peersFolder, 'node_modules');

/**
 * Installs the peers beside this file on first use, and again when their lock file has changed. None of
 * them needs its installation scripts, so none is run: better-sqlite3 brings its binaries along.
 */
export async function installPeers(): Promise<void> {
  const installed = join(modulesFolder, '.package-lock.json');
  const wanted = join(peersFolder, 'package-lock.json');
  if (existsSync(installed) && statSync(installed).mtimeMs >= statSync(wanted).mtimeMs) return;
  await runChild(['npm', 'ci', '--ignore-scripts', '--no-audit', '--no-fund'], {
    folder: peersFolder,
  });
}

/** The Node.js that came with the peers, so that all machines use the same. */
export const nodePath = join(modulesFolder, `node-linux-${arch}`, 'bin', 'node');

/** Path of a file inside an installed package. */
export function peerFile(path: string): string {
  return join(modulesFolder, path);
}
