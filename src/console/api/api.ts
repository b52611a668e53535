import { signal } from '@preact/signals';
import { isAnimalStoreError } from '../../../client/src/error.ts';
import { createAnimalStore } from '../../../client/src/store.ts';
import { createTransport } from '../../../client/src/transport.ts';
import { type ConsoleCalls, consoleOperations, type Session, sessionHeader } from '../contract.ts';
import { errorTexts } from '../texts/errors.ts';

/** Whether the service takes long to answer, and has not answered anything since. */
export const isUnanswered = signal(false);

/** After this time without an answer, the page says that it waits. */
export const slowMilliseconds = 5000;

/** What became of a request so far. */
type Progress = 'slow' | 'answered' | 'refused' | 'failed';

function noteAnswer(progress: Progress): void {
  if (progress !== 'failed') isUnanswered.value = progress === 'slow';
}

type OwnSession = Pick<Session, 'id' | 'workspace'>;

/** Reads the session again, because it may have ended. */
let checkSession = (): void => {};

/**
 * Every call of the page to the service. Each is for one session and one workspace: the service refuses it if another tab has changed
 * either. `note` is called with the progress of each request.
 */
function createFetch(session: OwnSession | undefined, note: (progress: Progress) => void) {
  return async (input: RequestInfo | URL, init?: RequestInit): Promise<Response> => {
    const headers = new Headers(init?.headers);
    if (session !== undefined) headers.set(sessionHeader, `${session.id}.${session.workspace}`);
    const slow = setTimeout(() => note('slow'), slowMilliseconds);
    try {
      const response = await fetch(input, { ...init, headers });
      note(response.ok ? 'answered' : 'refused');
      if (session === undefined) return response;
      if (response.status === 401) checkSession();
      const isStream = response.headers.get('content-type')?.startsWith('text/event-stream');
      if (isStream !== true || response.body === null) return response;
      // The service ends a stream with its session.
      const watchEnd = new TransformStream({ flush: () => checkSession() });
      return new Response(response.body.pipeThrough(watchEnd), response);
    } catch (error) {
      if (init?.signal?.aborted !== true) note('failed');
      throw error;
    } finally {
      clearTimeout(slow);
    }
  };
}

const baseUrl = new URL('console/v1', new URL('.', location.href)).href;

interface Input {
  readonly parameters?: Readonly<Record<string, string | number | bigint>>;
  readonly query?: Readonly<Record<string, string | number | bigint | undefined>>;
  readonly body?: object;
}

/** The service for one session, or for a caller without one: published operations by the client, and those of the console. */
export function openService(session: OwnSession | undefined, note = noteAnswer) {
  const options = { baseUrl, fetch: createFetch(session, note) as typeof fetch };
  const transport = createTransport(options);
  return {
    api: createAnimalStore(options),
    async callConsole<Id extends keyof ConsoleCalls>(
      id: Id,
      ...[input = {}]: object extends ConsoleCalls[Id]['input'] ? [] : [ConsoleCalls[Id]['input']]
    ): Promise<ConsoleCalls[Id]['answer']> {
      const { parameters = {}, query, body }: Input = input;
      const { method, path } = consoleOperations[id];
      const { value } = await transport.call({
        method,
        path: path.replace(/\{(\w+)\}/, (_, name) => String(parameters[name])),
        query,
        body,
        // What must not be done twice is not tried again.
        options: { retryMillisecondsMax: method === 'POST' ? 0 : 1000 },
      });
      return value as ConsoleCalls[Id]['answer'];
    },
  };
}

/** For the session that the page shows. An action that takes several calls keeps the service that it began with. */
export let { api, callConsole } = openService(undefined);

/** `check` reads the session again. */
export function setSession(session: OwnSession | undefined, check: () => void): void {
  ({ api, callConsole } = openService(session));
  checkSession = check;
}

/** The message of an error, for people. */
export function messageOf(error: unknown): string {
  if (!isAnimalStoreError(error)) return error instanceof Error ? error.message : String(error);
  const messages: Readonly<Record<string, string>> = errorTexts;
  return messages[error.code] ?? error.message;
}
