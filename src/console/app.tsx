import { signal, useComputed, useSignal } from '@preact/signals';
import type { FunctionComponent } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { isAnimalStoreError } from '../../client/src/error.ts';
import type { Scope } from '../domain/access/api-key.ts';
import { AnimalScreen } from './animal/animal-screen.tsx';
import { BulkProgress } from './animals/bulk-progress.tsx';
import { endBulk, isChangingMany } from './animals/bulk-run.ts';
import { announce, connection, startLive } from './api/live.ts';
import { isUnanswered, messageOf } from './api/service.ts';
import {
  chooseWorkspace,
  loadSession,
  ownerOf,
  type Session,
  sessionState,
  signIn,
  signOut,
} from './api/session.ts';
import { Categories } from './categories/categories.tsx';
import { followCategories, loadCategories } from './categories/categories-state.ts';
import { Events } from './events/events.tsx';
import { Import } from './import/import.tsx';
import { endImport, isImporting } from './import/run/import-state.ts';
import { Keys } from './keys/keys.tsx';
import { Orders } from './orders/orders.tsx';
import { Button } from './parts/controls.tsx';
import { CloseDialog, Confirm, useDialog } from './parts/dialog.tsx';
import { Loading } from './parts/display.tsx';
import { clearNotices, endUndos, Notices, showFailure } from './parts/notices.tsx';
import { recordTitle } from './parts/record-title.ts';
import { watchSession } from './parts/session-end.tsx';
import { addressOf, navigationScreens, route, type Screen, takeLinkToken } from './route.ts';
import { ReplaceSession } from './session/replace-session.tsx';
import { Sessions } from './session/sessions.tsx';
import { LockScreen, SignIn } from './session/sign-in.tsx';
import { WorkspaceChooser } from './session/workspace-chooser.tsx';
import { workTexts as bulkTexts } from './texts/bulk.ts';
import { common, frame as texts } from './texts/common.ts';
import { texts as sessionTexts } from './texts/session.ts';

interface ScreenAccess {
  readonly Show: FunctionComponent;
  /** What a session needs for it. An owner has access to every screen. */
  readonly access: readonly Scope[] | 'owner';
}

const screenTable: Readonly<Record<Screen, ScreenAccess>> = {
  animals: { Show: AnimalScreen, access: ['pets:read'] },
  orders: { Show: Orders, access: ['orders:read'] },
  categories: { Show: Categories, access: ['pets:read'] },
  import: { Show: Import, access: ['pets:read', 'pets:write'] },
  events: { Show: Events, access: ['events:read'] },
  keys: { Show: Keys, access: 'owner' },
  sessions: { Show: Sessions, access: [] },
};

function isAllowed({ kind, scopes }: Session, screen: Screen): boolean {
  const { access } = screenTable[screen];
  return kind === 'owner' || (access !== 'owner' && access.every((one) => scopes.includes(one)));
}

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
    case 'signed-in':
    case 'locked':
      return <SignedInPage session={state.session} isLocked={state.is === 'locked'} />;
  }
}

/** The page of a session, or its lock screen. Another owner or workspace begins with a fresh page. */
function SignedInPage(props: { readonly session: Session; readonly isLocked: boolean }) {
  const { session, isLocked } = props;
  return (
    <>
      <div class="page" hidden={isLocked}>
        <Frame key={ownerOf(session)} session={session} isLocked={isLocked} />
      </div>
      {isLocked && <LockScreen fault={linkFault.value} />}
      {!isLocked && link.value !== undefined && (
        <CloseDialog.Provider value={forgetLink}>
          <ReplaceSession
            session={session}
            isImporting={isImporting.value}
            signIn={signInWithLink}
          />
        </CloseDialog.Provider>
      )}
    </>
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
  if (is === 'signed-in' || is === 'failed') return;
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

async function signInWithLink(): Promise<void> {
  try {
    await signIn({ link: link.peek() ?? '' });
    forgetLink();
  } catch (error) {
    if (!isAnimalStoreError(error, 'invalid_api_key')) throw error;
    // The user can retry unless the service rejected the link.
    const isOffered = sessionState.peek().is === 'signed-in';
    forgetLink();
    const message = sessionTexts.linkRefused(messageOf(error));
    if (isOffered) showFailure(message);
    else throw new Error(message, { cause: error });
  }
}

function Frame(props: { readonly session: Session; readonly isLocked: boolean }) {
  const { session, isLocked } = props;
  const heading = useRef<HTMLHeadingElement>(null);
  const shown = useComputed(() =>
    isAllowed(session, route.value.screen) ? route.value.screen : 'animals',
  );
  const isReady = useSignal(false);
  useEffect(() => {
    clearNotices();
    const unfollow = followCategories();
    return () => {
      unfollow();
      endImport();
      endBulk();
      clearNotices();
    };
  }, []);
  useEffect(() => {
    endUndos();
    if (isLocked) return;
    const live = startLive(session);
    let isOver = false;
    void live.ready.then(() => {
      if (isOver) return;
      // A locked page gets no events.
      if (isReady.peek()) announce('reset');
      else if (session.scopes.includes('pets:read')) void loadCategories();
      isReady.value = true;
    });
    return () => {
      isOver = true;
      live.stop();
    };
  }, [session.id, isLocked]);
  const screen = shown.value;
  const { record } = route.value;
  const { name, text: title } = recordTitle.value ?? { text: texts.titles[screen] };
  const { Show } = screenTable[screen];
  const isFirst = useRef(true);
  const hadFocus = document.activeElement === heading.current;
  // Before the first paint: later, it would take the focus from a control that the user has reached by then.
  useLayoutEffect(() => {
    // A screen reader reads the name of the next screen, and continues from there.
    if (!isFirst.current) heading.current?.focus();
    isFirst.current = false;
  }, [screen, record]);
  useLayoutEffect(() => {
    document.title = common.pageTitle(name === undefined ? title : `${name} ${title}`);
    // It is another element, so that a screen reader reads the name of a record when it is known.
    if (hadFocus) heading.current?.focus();
  }, [name, title]);
  return (
    <>
      <button type="button" class="skip" onClick={() => heading.current?.focus()}>
        {texts.skip}
      </button>
      <Header session={session} screen={screen} />
      <main>
        <h1 key={`${name} ${title}`} ref={heading} tabIndex={-1}>
          {name !== undefined && <bdi>{name}</bdi>} {title}
        </h1>
        {!isAllowed(session, screen) ? (
          <p class="empty">{texts.notAllowed}</p>
        ) : isReady.value ? (
          <Show />
        ) : (
          <Loading />
        )}
      </main>
      {screen !== 'animals' && <BulkProgress />}
      <Notices />
    </>
  );
}

function Header({ session, screen }: { readonly session: Session; readonly screen: Screen }) {
  const { environment, apiKeyName } = session;
  const { dialog, open } = useDialog({
    stopImport: (act: () => Promise<void>) => (
      <Confirm title={texts.stopImport} hint={texts.stopHint} yes={texts.stop} act={act} />
    ),
    stopBulk: (act: () => Promise<void>) => (
      <Confirm title={bulkTexts.leave} hint={bulkTexts.leaveHint} yes={bulkTexts.stop} act={act} />
    ),
  });
  const navigation = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    // On a phone, not all screens fit.
    navigation.current
      ?.querySelector('[aria-current]')
      ?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [screen]);
  function stopWorkThen(act: () => Promise<void>): void {
    if (isImporting.peek()) open('stopImport', act);
    else if (isChangingMany.peek()) open('stopBulk', act);
    else void act().catch((error) => showFailure(messageOf(error)));
  }
  const state = connection.value === 'live' && isUnanswered.value ? 'lost' : connection.value;
  return (
    <header class="frame">
      <p class="brand">
        {common.title}
        <span class={`environment ${environment}`}>{texts.environments[environment]}</span>
      </p>
      <nav ref={navigation} aria-label={texts.screens}>
        {navigationScreens
          .filter((name) => isAllowed(session, name))
          .map((name) => (
            <a
              key={name}
              href={addressOf(name)}
              aria-current={name === screen ? 'page' : undefined}
            >
              {texts.titles[name]}
            </a>
          ))}
        {isImporting.value && screen !== 'import' && (
          <a href={addressOf('import')}>{texts.importing}</a>
        )}
      </nav>
      <div class="about">
        <span class={`connection ${state}`} role="status">
          {texts.connections[state]}
        </span>
        <WorkspaceChooser
          session={session}
          onChoose={(wanted) => stopWorkThen(() => chooseWorkspace(wanted))}
        />
        {apiKeyName !== null && <span class="key-name">{apiKeyName}</span>}
        <a href="docs">{texts.api}</a>
        <a
          class="sessions-link"
          href={addressOf('sessions')}
          aria-current={screen === 'sessions' ? 'page' : undefined}
        >
          {texts.titles.sessions}
        </a>
        <Button kind="quiet" onClick={() => stopWorkThen(signOut)}>
          {texts.signOut}
        </Button>
      </div>
      {dialog}
    </header>
  );
}
