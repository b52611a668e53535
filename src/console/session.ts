import { computed, signal } from '@preact/signals';
import { AnimalStoreError, isAnimalStoreError } from '../../client/src/error.ts';

/** Who is signed in, as the service tells it. */
export interface Session {
  readonly id: string;
  /** An owner came by a link of the command line, and may manage keys. */
  readonly kind: 'owner' | 'api_key';
  readonly workspace: string;
  readonly environment: 'production' | 'staging';
  readonly scopes: readonly string[];
  readonly apiKeyName: string | null;
  readonly expiresAt: string;
  /** The first of those that an owner may choose from, by name. */
  readonly workspaces?: readonly string[];
  readonly hasMoreWorkspaces?: boolean;
}

type State =
  | { readonly is: 'loading' }
  | { readonly is: 'signed-out'; readonly notice?: string }
  | { readonly is: 'failed'; readonly message: string }
  | { readonly is: 'signed-in'; readonly session: Session };

export const sessionState = signal<State>({ is: 'loading' });

const ended: State = {
  is: 'signed-out',
  notice: 'Your session has ended. Sign in again to go on.',
};

export const session = computed(() =>
  sessionState.value.is === 'signed-in' ? sessionState.value.session : undefined,
);

export function may(scope: string): boolean {
  return session.value?.scopes.includes(scope) ?? false;
}

/** Where the service answers this page. */
export const serviceUrl = new URL('console/v1', new URL('.', location.href)).href;

/** For whom and what a call is meant: the service refuses it where another tab has changed either. */
export function meantFor({ id, workspace }: Session): Readonly<Record<string, string>> {
  return { 'x-console-session': `${id}.${workspace}` };
}

/** Calls what the console alone is offered; the client knows the rest. What may be done twice is tried again. */
export async function callConsole(method: string, path: string, body?: object): Promise<unknown> {
  const current = session.peek();
  // Who is signed in, and whether at all, is asked and changed whatever the page has known.
  const isOfAny = path === '/session' && method !== 'PATCH';
  const headers = {
    ...(isOfAny || current === undefined ? {} : meantFor(current)),
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
  };
  const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
  const { response, text } = await send(path, init, method === 'POST' ? 0 : 3);
  if (response.ok) return text === '' ? undefined : parseJson(text, response);
  if (response.status === 401 && !isOfAny) void loadSession();
  const { code, message } = Object(parseJson(text, response));
  throw new AnimalStoreError(String(code), String(message), { httpStatus: response.status });
}

async function send(
  path: string,
  init: RequestInit,
  retries: number,
): Promise<{ response: Response; text: string }> {
  try {
    const signal = AbortSignal.timeout(10_000);
    const response = await fetch(`${serviceUrl}${path}`, { ...init, signal });
    return { response, text: await response.text() };
  } catch (cause) {
    if (retries === 0) {
      throw new AnimalStoreError('connection_failed', 'The connection failed', { cause });
    }
    await new Promise((resolve) => setTimeout(resolve, 300));
    return send(path, init, retries - 1);
  }
}

function parseJson(text: string, { status }: Response): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new AnimalStoreError(
      'unexpected_response',
      `The server answered ${status} with something else than was expected.`,
      { httpStatus: status, cause },
    );
  }
}

/** Tells the other tabs, which have the same cookie. */
const tabs = new BroadcastChannel('animal-store session');
tabs.onmessage = () => void loadSession();

/** Looks who is signed in. Whoever is so already stays, unless the service says otherwise. */
export async function loadSession(): Promise<void> {
  try {
    enter((await callConsole('GET', '/session')) as Session);
  } catch (error) {
    const wasSignedIn = session.peek() !== undefined;
    if (isAnimalStoreError(error) && error.httpStatus === 401) {
      // Why somebody was signed out stays to be read.
      if (sessionState.peek().is === 'signed-out') return;
      sessionState.value = wasSignedIn ? ended : { is: 'signed-out' };
      if (wasSignedIn) tabs.postMessage('changed');
    } else if (isAnimalStoreError(error, 'forbidden_origin')) {
      sessionState.value = { is: 'signed-out', notice: error.message };
    } else if (!wasSignedIn) {
      const message = error instanceof Error ? error.message : String(error);
      sessionState.value = { is: 'failed', message };
    }
  }
}

/** The same session, told again, is no new state: nothing is loaded anew. */
function enter(found: Session): void {
  if (JSON.stringify(found) === JSON.stringify(session.peek())) return;
  sessionState.value = { is: 'signed-in', session: found };
}

export const needsHttps = 'The console needs HTTPS, except on this machine.';

export async function signIn(secret: { link: string } | { apiKey: string }): Promise<void> {
  // The service would refuse it, but only once everybody on the way has read it.
  if (!isSecureContext) throw new Error(needsHttps);
  enter((await callConsole('POST', '/session', secret)) as Session);
  tabs.postMessage('changed');
}

export async function signOut(): Promise<void> {
  await callConsole('DELETE', '/session');
  sessionState.value = { is: 'signed-out', notice: 'You are signed out.' };
  tabs.postMessage('changed');
}

export async function chooseWorkspace(workspace: string): Promise<void> {
  enter((await callConsole('PATCH', '/session', { workspace })) as Session);
  tabs.postMessage('changed');
}
