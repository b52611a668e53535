import { DatabaseOutcomeUnknown } from '../domain/database/database-error.ts';
import { CommandFailure } from '../terminal/command-line.ts';

/**
 * Waits for the write that stores a key. Where nobody knows whether it did, the key is told all the same: it may be valid,
 * and will never be seen again.
 */
export async function storedApiKey<Output>(text: string, write: Promise<Output>): Promise<Output> {
  try {
    return await write;
  } catch (error) {
    if (!(error instanceof DatabaseOutcomeUnknown)) throw error;
    throw new CommandFailure([
      error.message,
      `The key may or may not be stored: look for its last 4 (${text.slice(-4)}) in keys list. It is shown only once: ${text}`,
    ]);
  }
}
