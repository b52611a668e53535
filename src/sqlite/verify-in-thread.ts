import { DatabaseUnusable } from '../domain/database/database-error.ts';
import type { StoredSummary, Verification } from '../domain/database/verification.ts';
import { unchecked } from '../storage/copies/verify.ts';
import { openThread } from './writer/open-thread.ts';

/** Says what damage is not found in a file. */
export const uncheckedInFile = `Not checked: ${unchecked}.`;

/** Looks through a whole file, as `verifyFile` does and with its errors, in a thread of its own. */
export async function verifyInThread(path: string, notedDigest?: string): Promise<Verification> {
  using thread = openThread();
  return await thread.call('verify', path, notedDigest);
}

/** The same, of a file that is to be sound: it throws where it is not. */
export async function verifySound(path: string): Promise<StoredSummary> {
  const result = await verifyInThread(path);
  if ('faults' in result) {
    throw new DatabaseUnusable(`The data is damaged: ${result.faults.join('; ')}`);
  }
  return result;
}
