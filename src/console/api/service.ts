import { signal } from '@preact/signals';
import { isAnimalStoreError } from '../../../client/src/error.ts';
import { randomHex } from '../../../client/src/json.ts';
import { createAnimalStore } from '../../../client/src/store.ts';
import { createTransport } from '../../../client/src/transport.ts';
import {
  type ConsoleCalls,
  consoleOperations,
  type SessionAnswer,
  sessionHeader,
} from '../contract.ts';
import { errorText } from '../texts/errors.ts';

/** Whether the service takes long to answer, and has not answered anything since. */
export const isUnanswered = signal(false);

/** After this time without an answer, the page says that it waits. */
export const slowMilliseconds = 5000;

/** What became of a request so far. */
type Progress = 'slow' | 'answered' | 'refused' | 'failed';

function noteProgress(progress: Progress): void {
  if (progress !== 'failed') isUnanswered.value = progress === 'slow';
}

/** Begins the ids of all writes of this page. An event has the id of its request. */
const ownRequests = `console-${randomHex()}-`;
let writeCount = 0;

/** Whether this page sent the request. */
export function isOwnRequest(requestId: string | undefined): boolean {
  return requestId?.startsWith(ownRequests) === true;
}

/** The service refuses a call if another tab has changed the session or its workspace. */
type SessionKey = Pick<SessionAnswer, 'id' | 'workspace'>;

interface ServiceOptions {
  /** Undefined for calls without a session, and for those about the session of the cookie. */
  readonly session?: SessionKey | undefined;
  /** Called when the session may have ended. */
  readonly onSessionEnd?: () => void;
  /** Called for each request. */
  readonly onProgress?: (progress: Progress) => void;
}

function createFetch({
  session,
  onSessionEnd = () => {},
  onProgress = noteProgress,
}: ServiceOptions) {
  return async (input: RequestInfo | URL, init?: RequestInit): Promise<Response> => {
    const headers = new Headers(init?.headers);
    if (session !== undefined) headers.set(sessionHeader, `${session.id}.${session.workspace}`);
    // An import names its requests itself.
    if (init?.method !== 'GET' && !headers.has('x-request-id')) {
      writeCount += 1;
      headers.set('x-request-id', `${ownRequests}${writeCount}`);
    }
    const slow = setTimeout(() => onProgress('slow'), slowMilliseconds);
    try {
      const response = await fetch(input, { ...init, headers });
      onProgress(response.ok ? 'answered' : 'refused');
      if (session === undefined) return response;
      if (response.status === 401) onSessionEnd();
      const isStream = response.headers.get('content-type')?.startsWith('text/event-stream');
      if (isStream !== true || response.body === null) return response;
      // A stream ends with its session.
      const watchEnd = new TransformStream({ flush: () => onSessionEnd() });
      return new Response(response.body.pipeThrough(watchEnd), response);
    } catch (error) {
      if (init?.signal?.aborted !== true) onProgress('failed');
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

/** The service for one session: published operations by `api`, and those of the console by `callConsole`. */
export function openService(service: ServiceOptions) {
  const options = { baseUrl, fetch: createFetch(service) };
  const transport = createTransport(options);
  return {
    api: createAnimalStore(options),
    async callConsole<Id extends keyof ConsoleCalls>(
      id: Id,
      input: ConsoleCalls[Id]['input'],
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

export type Service = ReturnType<typeof openService>;
export type Api = Service['api'];

/** Another key is another request. A retry has the same key, so that it does nothing twice. */
export const newIdempotencyKey = () => `console-${randomHex()}`;

/** The text of an error for the user. */
export function messageOf(error: unknown): string {
  if (!isAnimalStoreError(error)) return error instanceof Error ? error.message : String(error);
  return errorText(error);
}
