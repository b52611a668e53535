import { existsSync, statSync } from 'node:fs';
import { DatabaseUnusable } from '../../storage/contract/database-error.ts';
import { readUnfinishedCopy } from '../../storage/meta-row.ts';
import { checkVersion } from '../../storage/schema/prepare-schema.ts';
import { systemCode, withOperatorError } from '../errors.ts';
import { findFileToRead, noDataLine } from '../file/data-file.ts';
import { openFileReader } from '../file/file-reader.ts';
import { readFileVersion } from '../migrate-file.ts';
import { createQueryable } from '../queryable.ts';
import { compareSchema } from '../schema-faults.ts';
import type { BackupManifest } from './backup-manifest.ts';
import { copyFile } from './copy-file.ts';

/** In one line for the operator. */
const schemaFaultsMax = 3;

/**
 * Copies a file that has no manifest, such as a snapshot or what another tool restored, with its log. A server may write to it. Returns
 * what a manifest would say: when it was last changed, and the digest of the file and then of its log, at the start.
 * @throws DatabaseUnusable or DatabaseUnavailable with one line for the operator.
 */
export async function copyPlainFile(
  path: string,
  target: string,
): Promise<Pick<BackupManifest, 'madeAt' | 'sha256'>> {
  const realPath = findFileToRead(path);
  await withOperatorError(`${path} cannot be read`, () => checkBackup(realPath, path, 'kept'));
  const changedAt = Math.max(...filesOf(realPath).map((file) => statSync(file).mtimeMs));
  const hasher = new Bun.CryptoHasher('sha256');
  for (const file of filesOf(realPath)) {
    for await (const piece of readIfExists(file)) hasher.update(piece);
  }
  await copyFile(realPath, target, { older: 'migrated', use: 'kept' });
  return { madeAt: new Date(changedAt).toISOString(), sha256: hasher.digest('hex') };
}

/** The server of a log can remove it at any time. */
async function* readIfExists(file: string) {
  try {
    yield* Bun.file(file).stream();
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error;
  }
}

function filesOf(path: string): readonly string[] {
  return [path, `${path}-wal`].filter((file) => existsSync(file));
}

/**
 * Checked before anything is written, because a trigger of the backup would run. Data of another program or of a newer version
 * is refused too. `name` is the name of the backup in messages.
 */
export async function checkBackup(
  path: string,
  name: string,
  use?: 'kept' | 'served',
): Promise<void> {
  using reader = openFileReader(path, use);
  const { connection } = reader;
  const version = await readFileVersion(connection, name);
  if (version === 0) throw new DatabaseUnusable(noDataLine(name));
  checkVersion(name, version, 'migrated');
  const { faults } = compareSchema(connection, version);
  if (faults.length > 0) {
    const line = faults.slice(0, schemaFaultsMax).join('; ');
    throw new DatabaseUnusable(`${name} has a changed schema and is not restored: ${line}`);
  }
  // No server would open the restored data.
  if ((await readUnfinishedCopy(createQueryable(connection))) === undefined) return;
  throw new DatabaseUnusable(`${name} holds an unfinished copy and is not restored`);
}
