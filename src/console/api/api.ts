import { effect, signal } from '@preact/signals';
import { isAnimalStoreError } from '../../../client/src/error.ts';
import { createAnimalStore } from '../../../client/src/store.ts';
import { loadSession, meantFor, type Session, serviceUrl, session } from '../session/session.ts';

/** Whether the service takes long to answer, and has not answered anything since. */
export const isUnanswered = signal(false);

/** Nobody is told that all is well who waits longer than this. */
export const slowMilliseconds = 5000;

/**
 * The service, as its client package offers it, for one session: no call of it ever acts for another. A write is sent again
 * until it is answered, and done once.
 */
function openStore(current: Session | undefined) {
  const headers = current === undefined ? {} : meantFor(current);
  const watchedFetch = (async (input: RequestInfo | URL, init?: RequestInit) => {
    const all = new Headers([...new Headers(init?.headers), ...Object.entries(headers)]);
    const slow = setTimeout(() => {
      isUnanswered.value = true;
    }, slowMilliseconds);
    const response = await fetch(input, { ...init, headers: all }).finally(() =>
      clearTimeout(slow),
    );
    isUnanswered.value = false;
    // It has ended, or another tab has signed in anew or chosen another workspace.
    if (response.status === 401) void loadSession();
    return response;
  }) as typeof fetch;
  return createAnimalStore({ baseUrl: serviceUrl, fetch: watchedFetch });
}

/** That of the session which the page shows. What takes several calls keeps the one it began with. */
export let api = openStore(undefined);
effect(() => {
  api = openStore(session.value);
});

/** What went wrong, for people. */
export function messageOf(error: unknown): string {
  if (!isAnimalStoreError(error)) return error instanceof Error ? error.message : String(error);
  switch (error.code) {
    case 'connection_failed':
      return 'The server cannot be reached. Check the connection, then try again.';
    case 'timed_out':
      return 'The server did not answer in time. Try again.';
    case 'missing_api_key':
      return 'Your session had ended. Try again.';
    case 'insufficient_scope':
      return 'You signed in with a key that may not do this.';
    case 'rate_limited':
      return 'Too much was asked for in a short time. Try again in a moment.';
    case 'unavailable':
      return 'The server cannot do this at the moment. Try again soon.';
    default:
      return error.message;
  }
}
