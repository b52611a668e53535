import { DatabaseUnavailable, DatabaseUnusable } from '../domain/database.ts';
import type { StoreSummary, Verification } from '../domain/verification.ts';
import { threadUrl } from './thread-url.ts';
import type { FromVerifier, ToVerifier } from './verify-thread.ts';

/** Looks through a whole file, as `verifyFile` does and with its errors, in a thread of its own. */
export async function verifyInThread(path: string, notedDigest?: string): Promise<Verification> {
  const thread = new Worker(threadUrl('verify-thread.ts'));
  try {
    const { promise, resolve, reject } = Promise.withResolvers<Verification>();
    thread.onmessage = ({ data }: MessageEvent<FromVerifier>) => {
      if ('verification' in data) resolve(data.verification);
      else if ('unavailable' in data) reject(new DatabaseUnavailable(data.unavailable));
      else reject(new DatabaseUnusable(data.unusable));
    };
    thread.onerror = (event) => reject(new Error(`The verification failed: ${event.message}`));
    thread.postMessage({ path, notedDigest } satisfies ToVerifier);
    return await promise;
  } finally {
    thread.terminate();
  }
}

/** The same, of a file that is to be sound: it throws where it is not. */
export async function verifySound(path: string): Promise<StoreSummary> {
  const result = await verifyInThread(path);
  if ('faults' in result) {
    throw new DatabaseUnusable(`The data is damaged: ${result.faults.join('; ')}`);
  }
  return result;
}
