import { DatabaseUnusable } from '../domain/database/database-error.ts';
import type { StoredSummary, Verification } from '../domain/database/verification.ts';
import { unchecked } from '../storage/copies/verify.ts';
import { openThread } from './writer/writer.ts';

/** Names the data of a file in which damage is not found. */
export const uncheckedInFile = `Not checked: ${unchecked}.`;

/** Runs `verifyFile` in a separate thread. */
export async function verifyInThread(path: string, notedDigest?: string): Promise<Verification> {
  using thread = openThread();
  return await thread.call('verify', path, notedDigest);
}

/**
 * Verifies a file that was just written.
 * @throws DatabaseUnusable if it is damaged.
 */
export async function verifySound(path: string): Promise<StoredSummary> {
  const result = await verifyInThread(path);
  if ('faults' in result) {
    throw new DatabaseUnusable(`The data is damaged: ${result.faults.join('; ')}`);
  }
  return result;
}
