import { effect, signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { isAnimalStoreError } from '../../client/src/error.ts';
import { isChangingMany } from './animals/bulk-run.ts';
import { messageOf } from './api/service.ts';
import {
  type KnownSession,
  loadSession,
  ownerOf,
  type Session,
  sessionState,
  signIn,
} from './api/session.ts';
import { refuseFiles } from './files/dropped-files.ts';
import { Frame } from './frame/frame.tsx';
import { isImporting } from './import/run/import-state.ts';
import { Button } from './parts/controls.tsx';
import { CloseDialog } from './parts/dialog.tsx';
import { Loading } from './parts/display.tsx';
import { ignoreHeldKeys } from './parts/held-keys.ts';
import { showFailure } from './parts/notices.tsx';
import { watchSession } from './parts/session-end.tsx';
import { takeLinkToken } from './route.ts';
import { Elsewhere } from './session/elsewhere.tsx';
import { ReplaceSession } from './session/replace-session.tsx';
import { LockScreen, SignIn } from './session/sign-in.tsx';
import { common } from './texts/common.ts';
import { texts as sessionTexts } from './texts/session.ts';

/** The token of a link, until the service has answered it. */
const link = signal<string | undefined>(undefined);
const linkFault = signal<string | undefined>(undefined);

export function App() {
  useEffect(() => {
    const open = () => void openPage();
    open();
    // In an open page, a link changes only the part after the #.
    addEventListener('hashchange', open);
    return () => removeEventListener('hashchange', open);
  }, []);
  useEffect(watchSession, []);
  useEffect(forgetLinkAtLock, []);
  useEffect(ignoreHeldKeys, []);
  useEffect(refuseFiles, []);
  const state = sessionState.value;
  switch (state.is) {
    case 'loading':
      return <Loading />;
    case 'failed':
      return (
        <main class="sign-in">
          <h1>{sessionTexts.failed}</h1>
          <p role="alert">{state.message}</p>
          <Button kind="main" onClick={() => void openPage()}>
            {common.tryAgain}
          </Button>
        </main>
      );
    case 'signed-out':
      return <SignIn notice={state.notice ?? linkFault.value} />;
    case 'elsewhere':
      return (
        <>
          <Elsewhere session={state.session} wanted={state.wanted} />
          <LinkQuestion session={state.session} />
        </>
      );
    case 'signed-in':
    case 'locked':
      return <SignedInPage session={state.session} isLocked={state.is === 'locked'} />;
  }
}

/** The page of a session, or its lock screen. Another user begins with a fresh page. */
function SignedInPage(props: { readonly session: Session; readonly isLocked: boolean }) {
  const { session, isLocked } = props;
  return (
    <>
      <div class="page" hidden={isLocked}>
        <Frame key={ownerOf(session)} session={session} isLocked={isLocked} />
      </div>
      {isLocked && <LockScreen fault={linkFault.value} />}
      {!isLocked && <LinkQuestion session={session} />}
    </>
  );
}

/** Asks before a link replaces the session. */
function LinkQuestion({ session }: { readonly session: KnownSession }) {
  if (link.value === undefined) return null;
  return (
    <CloseDialog.Provider value={forgetLink}>
      <ReplaceSession
        session={session}
        isWorking={isImporting.value || isChangingMany.value}
        signIn={signInWithLink}
      />
    </CloseDialog.Provider>
  );
}

/** Reads the session, and signs in with the link in the address. The user of an earlier session is asked first. */
async function openPage(): Promise<void> {
  const token = takeLinkToken() ?? link.peek();
  if (token === undefined) {
    if (sessionState.peek().is !== 'signed-in') await loadSession();
    return;
  }
  linkFault.value = undefined;
  await loadSession();
  link.value = token;
  const { is } = sessionState.peek();
  // The user can retry if the service did not answer.
  if (is === 'signed-in' || is === 'elsewhere' || is === 'failed') return;
  try {
    await signInWithLink();
  } catch (error) {
    // The message has the address where sign-in works. The link cannot be used here.
    const isElsewhere = isAnimalStoreError(error, 'forbidden_origin');
    if (is === 'locked' || isElsewhere) forgetLink();
    if (link.peek() === undefined) linkFault.value = messageOf(error);
    else sessionState.value = { is: 'failed', message: messageOf(error) };
  }
}

function forgetLink(): void {
  link.value = undefined;
}

/** The lock screen replaces the question about a link, and the next sign-in answers it. Returns what stops this. */
function forgetLinkAtLock(): () => void {
  return effect(() => {
    if (sessionState.value.is === 'locked') forgetLink();
  });
}

async function signInWithLink(): Promise<void> {
  try {
    await signIn({ link: link.peek() ?? '' });
    forgetLink();
  } catch (error) {
    if (!isAnimalStoreError(error, 'invalid_api_key')) throw error;
    // The user can retry unless the service rejected the link.
    const isOffered = ['signed-in', 'elsewhere'].includes(sessionState.peek().is);
    forgetLink();
    const message = sessionTexts.linkRefused(messageOf(error));
    if (isOffered) showFailure(message);
    else throw new Error(message, { cause: error });
  }
}
