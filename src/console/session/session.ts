import { computed, signal } from '@preact/signals';
import { AnimalStoreError, isAnimalStoreError } from '../../../client/src/error.ts';
import { forgetPlace, hidePlace, showPlace } from '../parts/url-state.ts';

/** Who is signed in, as the service tells it. */
export interface Session {
  readonly id: string;
  /** An owner came by a link of the command line, and may manage keys. */
  readonly kind: 'owner' | 'api_key';
  readonly workspace: string;
  readonly environment: 'production' | 'staging';
  readonly scopes: readonly string[];
  /** Null for an owner. */
  readonly apiKeyId: number | null;
  readonly apiKeyName: string | null;
  /** The first of those that an owner may choose from, by name. */
  readonly workspaces?: readonly string[];
  readonly hasMoreWorkspaces?: boolean;
}

/** When a session ends, as the service returns it. */
interface SessionEnd {
  readonly secondsLeft: number;
  /** Since the last action that was reported. */
  readonly idleSeconds: number;
  /** Whether an action moves the end. */
  readonly mayContinue: boolean;
}

type Found = Session & SessionEnd & { readonly expiresAt: string };

type State =
  | { readonly is: 'loading' }
  | { readonly is: 'signed-out'; readonly notice?: string }
  | { readonly is: 'failed'; readonly message: string }
  | { readonly is: 'signed-in'; readonly session: Session }
  /** The session has ended. What the page shows is kept for its owner, and hidden. */
  | { readonly is: 'covered'; readonly session: Session };

export const sessionState = signal<State>({ is: 'loading' });

/** That of the page, also when it has ended: what was typed in it belongs to it. */
export const session = computed(() => {
  const state = sessionState.value;
  return state.is === 'signed-in' || state.is === 'covered' ? state.session : undefined;
});

/**
 * Who may see what a page shows and what was typed there: all owners of the data alike, or one key, in one workspace. A later
 * session of the same owner continues with it.
 */
export function ownerOf({ kind, apiKeyId, workspace }: Session): string {
  return `${kind} ${apiKeyId} ${workspace}`;
}

/** Times by the clock of this page, in milliseconds since 1970. */
export interface SessionTimes {
  readonly endsAt: number;
  readonly lastActiveAt: number;
  readonly mayContinue: boolean;
}

export const sessionTimes = signal<SessionTimes | undefined>(undefined);

export function noteEnd({ secondsLeft, idleSeconds, mayContinue }: SessionEnd): SessionTimes {
  const now = Date.now();
  const endsAt = now + secondsLeft * 1000;
  const lastActiveAt = now - idleSeconds * 1000;
  sessionTimes.value = { endsAt, lastActiveAt, mayContinue };
  return sessionTimes.value;
}

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

/** Tells the other tabs, which have the same cookie: that the session changed, or when it ends now. */
const tabs = new BroadcastChannel('animal-store session');
tabs.onmessage = ({ data }: MessageEvent<'changed' | { id: string; times: SessionTimes }>) => {
  if (data === 'changed') void loadSession();
  else if (data.id === session.peek()?.id) sessionTimes.value = data.times;
};

/** The user acted: the session ends later. */
export async function continueSession(): Promise<void> {
  const id = session.peek()?.id;
  const end = (await callConsole('POST', '/session/activity')) as SessionEnd;
  if (id !== undefined && id === session.peek()?.id) tabs.postMessage({ id, times: noteEnd(end) });
}

/** Reads who is signed in. The page keeps its session unless the service rejects it. */
export async function loadSession(): Promise<void> {
  const before = sessionState.peek();
  try {
    enter((await callConsole('GET', '/session')) as Found);
  } catch (error) {
    const isSignedIn = session.peek() !== undefined;
    if (isAnimalStoreError(error) && error.httpStatus === 401) {
      // The page has signed in since: the answer is of the session before.
      if (sessionState.peek() !== before) return;
      if (before.is === 'signed-in') {
        cover();
        tabs.postMessage('changed');
      } else if (!isSignedIn && before.is !== 'signed-out') {
        sessionState.value = { is: 'signed-out' };
      }
    } else if (isAnimalStoreError(error, 'forbidden_origin')) {
      sessionState.value = { is: 'signed-out', notice: error.message };
    } else if (!isSignedIn) {
      const message = error instanceof Error ? error.message : String(error);
      sessionState.value = { is: 'failed', message };
    }
  }
}

/** Hides what the page shows, because its session has ended. */
export function cover(): void {
  const state = sessionState.peek();
  if (state.is !== 'signed-in') return;
  hidePlace();
  sessionState.value = { is: 'covered', session: state.session };
}

function enter({ secondsLeft, idleSeconds, mayContinue, expiresAt, ...next }: Found): void {
  const before = sessionState.peek();
  const known = session.peek();
  noteEnd({ secondsLeft, idleSeconds, mayContinue });
  // The same session, read again, is no new state: nothing is loaded again.
  if (before.is === 'signed-in' && JSON.stringify(next) === JSON.stringify(known)) return;
  const isSameOwner = known !== undefined && ownerOf(known) === ownerOf(next);
  const isWorkspaceChosen = before.is === 'signed-in' && known?.id === next.id;
  if (isSameOwner) showPlace();
  else if (known !== undefined && !isWorkspaceChosen) forgetPlace();
  sessionState.value = { is: 'signed-in', session: next };
}

export const needsHttps = 'The console needs HTTPS, except on this machine.';

export async function signIn(secret: { link: string } | { apiKey: string }): Promise<void> {
  // The service would refuse it, but only once everybody on the way has read it.
  if (!isSecureContext) throw new Error(needsHttps);
  enter((await callConsole('POST', '/session', secret)) as Found);
  tabs.postMessage('changed');
}

export async function signOut(): Promise<void> {
  await callConsole('DELETE', '/session');
  forgetPlace();
  sessionState.value = { is: 'signed-out', notice: 'You are signed out.' };
  tabs.postMessage('changed');
}

export async function chooseWorkspace(workspace: string): Promise<void> {
  enter((await callConsole('PATCH', '/session', { workspace })) as Found);
  tabs.postMessage('changed');
}
