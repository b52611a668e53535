import { computed, effect, signal } from '@preact/signals';
import { isAnimalStoreError } from '../../../client/src/error.ts';
import type { Scope } from '../../domain/access/api-key.ts';
import { callConsole, messageOf, openService, setSession } from '../api/api.ts';
import type { SessionEnd, Session as SignedIn, SignIn } from '../contract.ts';
import { forgetPlace, hidePlace, showPlace } from '../parts/url-state.ts';
import { texts } from '../texts/session.ts';

/** Without its end, which changes with each action. */
export type Session = Omit<SignedIn, keyof SessionEnd>;

type State =
  | { readonly is: 'loading' }
  | { readonly is: 'signed-out'; readonly notice?: string }
  | { readonly is: 'failed'; readonly message: string }
  | { readonly is: 'signed-in'; readonly session: Session }
  /** The session has ended. What the page shows is kept for its owner, and hidden. */
  | { readonly is: 'covered'; readonly session: Session };

export const sessionState = signal<State>({ is: 'loading' });

/** The session of the page, also after its end, because what was typed belongs to it. */
export const session = computed(() => {
  const state = sessionState.value;
  return state.is === 'signed-in' || state.is === 'covered' ? state.session : undefined;
});

/**
 * Identifies the user to whom a page and what was typed in it belong: any owner of the data, or one key, in one workspace. A later
 * session of the same user continues with it.
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

function noteEnd({ secondsLeft, idleSeconds, mayContinue }: SessionEnd): SessionTimes {
  const now = Date.now();
  const endsAt = now + secondsLeft * 1000;
  const lastActiveAt = now - idleSeconds * 1000;
  sessionTimes.value = { endsAt, lastActiveAt, mayContinue };
  return sessionTimes.value;
}

export function may(scope: Scope): boolean {
  return session.value?.scopes.includes(scope) ?? false;
}

// For calls about the session of the cookie, which the page may not know yet.
const { callConsole: callForAny } = openService(undefined);

effect(() => setSession(session.value, loadSession));

/** To the other tabs, which have the same cookie: the session changed, or it has a new end. */
const tabs = new BroadcastChannel('animal-store session');
tabs.onmessage = ({ data }: MessageEvent<'changed' | { id: string; times: SessionTimes }>) => {
  if (data === 'changed') void loadSession();
  else if (data.id === session.peek()?.id) sessionTimes.value = data.times;
};

/** The user acted: the session ends later. */
export async function continueSession(): Promise<void> {
  const id = session.peek()?.id;
  const end = await callConsole('reportActivity');
  if (id !== undefined && id === session.peek()?.id) tabs.postMessage({ id, times: noteEnd(end) });
}

/** Reads the session. The page keeps its session unless the service rejects it. */
export async function loadSession(): Promise<void> {
  const before = sessionState.peek();
  try {
    enter(await callForAny('getSession'));
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
      sessionState.value = { is: 'failed', message: messageOf(error) };
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

function enter({ secondsLeft, idleSeconds, mayContinue, expiresAt, ...next }: SignedIn): void {
  const before = sessionState.peek();
  const known = session.peek();
  noteEnd({ secondsLeft, idleSeconds, mayContinue, expiresAt });
  // The same session, read again, is no new state: nothing is loaded again.
  if (before.is === 'signed-in' && JSON.stringify(next) === JSON.stringify(known)) return;
  const isSameOwner = known !== undefined && ownerOf(known) === ownerOf(next);
  const isWorkspaceChosen = before.is === 'signed-in' && known?.id === next.id;
  if (isSameOwner) showPlace();
  else if (known !== undefined && !isWorkspaceChosen) forgetPlace();
  sessionState.value = { is: 'signed-in', session: next };
}

export async function signIn(secret: SignIn): Promise<void> {
  // The service would refuse it, but only after others on the network could have read it.
  if (!isSecureContext) throw new Error(texts.needsHttps);
  enter(await callForAny('signIn', { body: secret }));
  tabs.postMessage('changed');
}

export async function signOut(): Promise<void> {
  await callForAny('signOut');
  forgetPlace();
  sessionState.value = { is: 'signed-out', notice: texts.signedOut };
  tabs.postMessage('changed');
}

export async function chooseWorkspace(workspace: string): Promise<void> {
  try {
    enter(await callConsole('chooseWorkspace', { body: { workspace } }));
    tabs.postMessage('changed');
  } catch (error) {
    // The server may have chosen it, although its answer was lost.
    await loadSession();
    throw error;
  }
}
