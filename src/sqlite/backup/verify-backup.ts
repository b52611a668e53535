import { stat } from 'node:fs/promises';
import type { StoredSummary, Verification } from '../../domain/database/verification.ts';
import { verifyInThread } from '../verify-in-thread.ts';
import { type BackupManifest, readManifest } from './backup-manifest.ts';

/**
 * Checks a backup without a restore: that it is as its manifest describes it, and everything that `verifyFile` checks. Writes
 * nothing beside the backup: the file of a backup is not in WAL mode.
 * @throws DatabaseUnusable with one line for the operator, if there is no manifest, or if the file is not that of the manifest.
 */
export async function verifyBackup(backup: string, notedDigest?: string): Promise<Verification> {
  const manifest = await readManifest(backup);
  const { size: bytes } = await stat(backup);
  const result = await verifyInThread(backup, notedDigest);
  if ('faults' in result) return result;
  const faults = compare(manifest, { ...result, bytes });
  return faults.length > 0 ? { faults } : result;
}

function compare(
  manifest: BackupManifest,
  found: StoredSummary & Pick<BackupManifest, 'bytes'>,
): readonly string[] {
  const compared = ['bytes', 'animals', 'apiKeys', 'workspaces', 'audit'] as const;
  return compared.flatMap((member) => {
    const [said, is] = [manifest, found].map((summary) => JSON.stringify(summary[member]));
    return said === is ? [] : [`The manifest says ${member} ${said}, and the backup has ${is}`];
  });
}
