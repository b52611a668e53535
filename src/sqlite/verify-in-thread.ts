import { DatabaseUnusable } from '../storage/contract/database-error.ts';
import type { StoredSummary } from '../storage/contract/verification.ts';
import { unchecked } from '../storage/copies/verify-records.ts';
import type { FileVerification, VerifyOptions } from './verify.ts';
import { openThread } from './writer/writer.ts';

/** Names the data of a file in which damage is not found. */
const uncheckedInFile = `Not checked: ${unchecked}.`;

/** Runs `verifyFile` in a separate thread. Returns the result, and lines about what was not checked. */
export async function verifyInThread(
  path: string,
  options?: VerifyOptions,
): Promise<FileVerification> {
  using thread = openThread();
  const { found, notes } = await thread.call('verify', path, options);
  return { found, notes: [...notes, uncheckedInFile] };
}

/**
 * Verifies a file that was just written.
 * @throws DatabaseUnusable if it is damaged.
 */
export async function verifySound(path: string): Promise<StoredSummary> {
  const { found } = await verifyInThread(path);
  if ('faults' in found) {
    throw new DatabaseUnusable(`The data is damaged: ${found.faults.join('; ')}`);
  }
  return found;
}
