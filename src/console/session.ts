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
  /** Those that an owner may choose from. */
  readonly workspaces?: readonly string[];
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

/** Calls what the console alone is offered; the client knows the rest. What may be done twice is tried again. */
export async function callConsole(method: string, path: string, body?: object): Promise<unknown> {
  const response = await send(method, path, body, method === 'POST' ? 0 : 3);
  const text = await response.text();
  if (response.ok) return text === '' ? undefined : JSON.parse(text);
  const { code, message } = parseError(text);
  if (response.status === 401 && path !== '/session') endSession();
  throw new AnimalStoreError(code, message, {
    httpStatus: response.status,
    requestId: response.headers.get('x-request-id') ?? undefined,
  });
}

async function send(
  method: string,
  path: string,
  body: object | undefined,
  retries: number,
): Promise<Response> {
  const headers = { 'content-type': 'application/json' };
  try {
    return await fetch(`${serviceUrl}${path}`, {
      method,
      ...(body === undefined ? {} : { headers, body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(10_000),
    });
  } catch (cause) {
    if (retries === 0) {
      throw new AnimalStoreError('connection_failed', 'The connection failed', { cause });
    }
    await new Promise((resolve) => setTimeout(resolve, 300));
    return send(method, path, body, retries - 1);
  }
}

function parseError(text: string): { code: string; message: string } {
  try {
    const { code, message } = JSON.parse(text);
    return { code: String(code), message: String(message) };
  } catch {
    return { code: 'unexpected_response', message: 'The answer is not of this service' };
  }
}

/** Tells the other tabs, which have the same cookie. */
const tabs = new BroadcastChannel('animal-store session');
tabs.onmessage = () => void loadSession();

export async function loadSession(): Promise<void> {
  try {
    enter((await callConsole('GET', '/session')) as Session);
  } catch (error) {
    if (!(error instanceof AnimalStoreError)) throw error;
    sessionState.value =
      error.httpStatus === 401
        ? sessionState.peek().is === 'signed-in'
          ? ended
          : { is: 'signed-out' }
        : error.code === 'forbidden_origin'
          ? { is: 'signed-out', notice: error.message }
          : { is: 'failed', message: error.message };
  }
}

/** Looks whether the session still holds, as when what it listened to has ended. */
export async function checkSession(): Promise<void> {
  try {
    await callConsole('GET', '/session');
  } catch (error) {
    if (isAnimalStoreError(error) && error.httpStatus === 401) endSession();
  }
}

/** The same session, told again, is no new state: nothing is loaded anew. */
function enter(found: Session): void {
  if (JSON.stringify(found) === JSON.stringify(session.peek())) return;
  sessionState.value = { is: 'signed-in', session: found };
}

export async function signIn(secret: { link: string } | { apiKey: string }): Promise<void> {
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

/** The service does not know the session any more. */
export function endSession(): void {
  if (sessionState.peek().is !== 'signed-in') return;
  sessionState.value = ended;
  tabs.postMessage('changed');
}
