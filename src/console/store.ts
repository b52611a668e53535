import { isAnimalStoreError } from '../../client/src/error.ts';
import { createAnimalStore } from '../../client/src/store.ts';
import { endSession, serviceUrl } from './session.ts';

/** Every call of the page goes through here: it sees at once that a session has ended. */
const watchedFetch = (async (input: RequestInfo | URL, init?: RequestInit) => {
  const response = await fetch(input, init);
  if (response.status === 401) endSession();
  return response;
}) as typeof fetch;

/** The service, as its client package offers it. A write is sent again until it is answered, and done once. */
export const store = createAnimalStore({ baseUrl: serviceUrl, fetch: watchedFetch, retries: 5 });

/** What went wrong, for people. */
export function messageOf(error: unknown): string {
  if (!isAnimalStoreError(error)) return error instanceof Error ? error.message : String(error);
  switch (error.code) {
    case 'connection_failed':
      return 'The server cannot be reached. Check the connection, then try again.';
    case 'timed_out':
      return 'The server did not answer in time. Try again.';
    case 'insufficient_scope':
      return 'You signed in with a key that may not do this.';
    case 'unavailable':
      return 'The server cannot do this at the moment. Try again soon.';
    default:
      return error.message;
  }
}
