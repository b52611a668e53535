import { computed, signal } from '@preact/signals';
import { isAnimalStoreError } from '../../../client/src/error.ts';
import type { Scope } from '../../../src/domain/access/api-key.ts';
import type { SessionAnswer, SessionEnd, SignIn } from '../contract.ts';
import {
  forgetRoute,
  forgetWorkspace,
  hideRoute,
  nameWorkspace,
  showRoute,
  wantedWorkspace,
} from '../route.ts';
import { texts } from '../texts/session.ts';
import { type Api, messageOf, openService, type Service } from './service.ts';

/** Without its end, which changes with each action. */
export type KnownSession = Omit<SessionAnswer, keyof SessionEnd>;

/** The session in the workspace of the page. */
export type Session = KnownSession & { readonly workspace: string };

type SessionState =
  | { readonly is: 'loading' }
  | { readonly is: 'signed-out'; readonly notice?: string }
  | { readonly is: 'failed'; readonly message: string }
  | { readonly is: 'signed-in'; readonly session: Session }
  /** The session does not have the workspace that the address names, or an owner's last one is gone. No record is shown. */
  | { readonly is: 'elsewhere'; readonly session: KnownSession; readonly wanted: string }
  /** The session has ended. What the page shows is kept for its owner, and hidden. */
  | { readonly is: 'locked'; readonly session: Session };

export const sessionState = signal<SessionState>({ is: 'loading' });

/** The session of the page, also after its end, because what was typed belongs to it. */
export const session = computed(() => {
  const state = sessionState.value;
  return state.is === 'signed-in' || state.is === 'locked' ? state.session : undefined;
});

/**
 * Identifies the user to whom a page and what was typed in it belong: any owner of the data, or one key, in one workspace. A later
 * session of the same user continues with it.
 */
export function ownerOf({ kind, apiKeyId, workspace }: Session): string {
  return `${kind} ${apiKeyId} ${workspace}`;
}

const shownOwner = computed(() => session.value && ownerOf(session.value));

/** Times by the clock of this page, in milliseconds since 1970. */
interface SessionTimes {
  readonly endsAt: number;
  readonly lastActiveAt: number;
  readonly mayContinue: boolean;
}

export const sessionTimes = signal<SessionTimes | undefined>(undefined);

function timesOf({ secondsLeft, idleSeconds, mayContinue }: SessionEnd): SessionTimes {
  const now = Date.now();
  const endsAt = now + secondsLeft * 1000;
  const lastActiveAt = now - idleSeconds * 1000;
  return { endsAt, lastActiveAt, mayContinue };
}

export function hasScope(scope: Scope): boolean {
  return session.value?.scopes.includes(scope) ?? false;
}

const service = computed(() => {
  const owner = shownOwner.value;
  const isShown = () => shownOwner.peek() === owner;
  return openService({ session: session.value, isShown, onSessionEnd: loadSession });
});

/** The client of the session that the page shows. An action of several calls keeps the client with which it began. */
export function currentApi(): Api {
  return currentService().api;
}

/** Likewise, with the operations that only the console calls. */
export function currentService(): Service {
  return service.peek();
}

/**
 * The client of the session that the page shows, also after its user signed in again while the component was shown. The functions of a
 * render keep the client of this render. For another user, the page has new components.
 */
export function useApi(): Api {
  return service.value.api;
}

/** Calls an operation of the console for the session that the page shows. */
export const callConsole: Service['callConsole'] = (...call) =>
  currentService().callConsole(...call);

// For calls about the session of the cookie, which the page may not know yet.
const { callConsole: callWithCookie } = openService({});

/** To the other tabs, which have the same cookie: the session changed, or it has a new end. */
const tabs = new BroadcastChannel('animal-store session');
tabs.onmessage = ({ data }: MessageEvent<'changed' | { id: string; times: SessionTimes }>) => {
  if (data === 'changed') void loadSession();
  else if (data.id === session.peek()?.id) sessionTimes.value = data.times;
};

/** The user acted: the session ends later. */
export async function continueSession(): Promise<void> {
  const id = session.peek()?.id;
  const end = await callConsole('reportActivity', {});
  if (id === undefined || id !== session.peek()?.id) return;
  const times = timesOf(end);
  sessionTimes.value = times;
  tabs.postMessage({ id, times });
}

const workspaceQuery = () => ({ workspace: wantedWorkspace().name });

/** Reads the session. The page keeps its session unless the service rejects it. */
export async function loadSession(): Promise<void> {
  const before = sessionState.peek();
  try {
    showSession(await callWithCookie('getSession', { query: workspaceQuery() }));
  } catch (error) {
    const isSignedIn = session.peek() !== undefined;
    // A 401 of a proxy says nothing about the session, which works again after the sign-in at the proxy.
    const isOfProxy = isAnimalStoreError(error, 'unexpected_response');
    if (isAnimalStoreError(error) && error.httpStatus === 401 && !isOfProxy) {
      // The page has signed in since: the answer is of the session before.
      if (sessionState.peek() !== before) return;
      if (before.is === 'signed-in') {
        lockPage();
        tabs.postMessage('changed');
      } else if (!isSignedIn && before.is !== 'signed-out') {
        sessionState.value = { is: 'signed-out' };
      }
    } else if (isAnimalStoreError(error, 'forbidden_origin')) {
      sessionState.value = { is: 'signed-out', notice: messageOf(error) };
    } else if (!isSignedIn) {
      sessionState.value = { is: 'failed', message: messageOf(error) };
    }
  }
}

/** Hides what the page shows, because its session has ended. */
export function lockPage(): void {
  const state = sessionState.peek();
  if (state.is !== 'signed-in') return;
  hideRoute();
  sessionState.value = { is: 'locked', session: state.session };
}

function showSession(read: SessionAnswer): void {
  const { secondsLeft, idleSeconds, mayContinue, expiresAt, ...answer } = read;
  const before = sessionState.peek();
  const known = session.peek();
  const { name: wanted, isNamed } = wantedWorkspace();
  const times = timesOf(read);
  const { lastActiveAt = 0 } = (known?.id === answer.id && sessionTimes.peek()) || {};
  // An answer that comes late is from before the last action that was reported. Seconds are rounded.
  if (times.lastActiveAt >= lastActiveAt - 2000) sessionTimes.value = times;
  // An owner has the wanted workspace unless the answer names none.
  const workspace =
    answer.kind === 'owner' && answer.workspace !== null ? wanted : answer.workspace;
  if (workspace === null || (isNamed && workspace !== wanted)) {
    if (known !== undefined) forgetRoute();
    sessionState.value = { is: 'elsewhere', session: answer, wanted };
    return;
  }
  const next = { ...answer, workspace };
  // The same session, read again, is no new state: nothing is loaded again.
  const { eventPosition } = next;
  const isKnown = JSON.stringify(next) === JSON.stringify(known && { ...known, eventPosition });
  if (before.is === 'signed-in' && isKnown) return;
  if (known !== undefined && ownerOf(known) === ownerOf(next)) showRoute();
  else if (known !== undefined) forgetRoute();
  nameWorkspace(workspace);
  sessionState.value = { is: 'signed-in', session: next };
}

export async function signIn(secret: SignIn): Promise<void> {
  // The service would refuse it, but only after others on the network could have read it.
  if (!isSecureContext) throw new Error(texts.needsHttps);
  showSession(await callWithCookie('signIn', { query: workspaceQuery(), body: secret }));
  tabs.postMessage('changed');
}

export async function signOut(): Promise<void> {
  await callWithCookie('signOut', {});
  showSignedOut();
}

function showSignedOut(): void {
  forgetWorkspace();
  sessionState.value = { is: 'signed-out', notice: texts.signedOut };
  tabs.postMessage('changed');
}

/** Ends the sessions of all owners, or of the same key, and returns their number. */
export async function signOutEverywhere(staysHere: boolean): Promise<number> {
  const query = { except: staysHere ? 'own' : undefined };
  const { endedCount } = await callConsole('endSessions', { query });
  if (!staysHere) showSignedOut();
  return endedCount;
}
