import { signal } from '@preact/signals';
import { AnimalStoreError, isAnimalStoreError } from '../../../client/src/error.ts';
import { randomHex } from '../../../client/src/json.ts';
import { createAnimalStore } from '../../../client/src/store.ts';
import { type CallOptions, createTransport } from '../../../client/src/transport.ts';
import {
  type ConsoleCalls,
  consoleOperations,
  type SessionAnswer,
  sessionHeader,
} from '../contract.ts';
import { consolePath } from '../route.ts';
import { errorText } from '../texts/errors.ts';
import { announceWrites } from './own-writes.ts';

/** Whether the service takes long to answer, and has not answered anything since. */
export const isUnanswered = signal(false);

/** After this time without an answer, the page says that it waits. */
export const slowMilliseconds = 5000;

/** What became of a request so far. */
type Progress = 'slow' | 'answered' | 'refused' | 'failed';

function noteProgress(progress: Progress): void {
  if (progress !== 'failed') isUnanswered.value = progress === 'slow';
}

/** The service refuses a call if another tab has changed the session. An owner's session has every workspace that a call names. */
type SessionKey = Pick<SessionAnswer, 'id'> & { readonly workspace: string };

const leftPage = 'left_page';

/** Whether a call failed only because the page shows another user by now. No user needs to know. */
export function isOfLeftPage(error: unknown): boolean {
  return isAnimalStoreError(error, leftPage);
}

interface ServiceOptions {
  /** Undefined for calls without a session, and for those about the session of the cookie. */
  readonly session?: SessionKey | undefined;
  /**
   * Whether the page shows the user of the session. If not, every call fails, also after its answer: what follows an answer changes
   * lists and shows messages.
   */
  readonly isShown?: () => boolean;
  /** Called when the session may have ended. */
  readonly onSessionEnd?: () => void;
  /** Called for each request. */
  readonly onProgress?: (progress: Progress) => void;
}

function createFetch({
  session,
  isShown = () => true,
  onSessionEnd = () => {},
  onProgress = noteProgress,
}: ServiceOptions) {
  function throwIfLeft(): void {
    if (isShown()) return;
    // As the service refuses calls of such a page. No message shows it.
    throw new AnimalStoreError(leftPage, leftPage, { httpStatus: 401 });
  }
  const send = async (input: RequestInfo | URL, init?: RequestInit): Promise<Response> => {
    throwIfLeft();
    const headers = new Headers(init?.headers);
    if (session !== undefined) headers.set(sessionHeader, `${session.id}.${session.workspace}`);
    const slow = setTimeout(() => onProgress('slow'), slowMilliseconds);
    try {
      const answer = await fetch(input, { ...init, headers });
      const isStream = answer.headers.get('content-type')?.startsWith('text/event-stream') === true;
      const response = isStream ? answer : await readBody(answer);
      onProgress(response.ok ? 'answered' : 'refused');
      if (session === undefined) return response;
      throwIfLeft();
      if (response.status === 401) onSessionEnd();
      if (!isStream || response.body === null) return response;
      // A stream ends with its session.
      const watchEnd = new TransformStream({ flush: () => onSessionEnd() });
      return new Response(response.body.pipeThrough(watchEnd), response);
    } catch (error) {
      if (init?.signal?.aborted !== true) onProgress('failed');
      throwIfLeft();
      throw error;
    } finally {
      clearTimeout(slow);
    }
  };
  // In Bun, which runs the tests, the function has another member.
  return Object.assign(send, fetch);
}

/** The response with its whole body, which can arrive later than its headers. */
async function readBody(response: Response): Promise<Response> {
  if (response.body === null) return response;
  const text = await response.text();
  // A response without content, such as 204, must have no body.
  return new Response(text === '' ? null : text, response);
}

const baseUrl = new URL(`${consolePath}/v1`, location.href).href;

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
    api: announceWrites(createAnimalStore(options)),
    async callConsole<Id extends keyof ConsoleCalls>(
      id: Id,
      input: ConsoleCalls[Id]['input'],
      callOptions: CallOptions = {},
    ): Promise<ConsoleCalls[Id]['answer']> {
      const { parameters = {}, query, body }: Input = input;
      const { method, path } = consoleOperations[id];
      const { value } = await transport.call({
        method,
        path: path.replaceAll(/\{(\w+)\}/g, (_, name) =>
          encodeURIComponent(String(parameters[name])),
        ),
        query,
        body,
        // What must not be done twice is not tried again.
        options: { retryMillisecondsMax: method === 'POST' ? 0 : 1000, ...callOptions },
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
