import { DatabaseOutcomeUnknown } from '../storage/contract/database-error.ts';
import { CliFailure } from '../terminal/cli-failure.ts';

/**
 * Waits for the write that stores a key. If its outcome is unknown, the failure shows the key: it can be valid, and is never
 * shown again.
 */
export async function showKeyIfUnknown<Output>(
  text: string,
  write: Promise<Output>,
): Promise<Output> {
  try {
    return await write;
  } catch (error) {
    if (!(error instanceof DatabaseOutcomeUnknown)) throw error;
    throw new CliFailure([
      error.message,
      `The key may or may not be stored: look for its last 4 (${text.slice(-4)}) in keys list. It is shown only once: ${text}`,
    ]);
  }
}
