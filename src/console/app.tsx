import { signal, useComputed, useSignal } from '@preact/signals';
import type { FunctionComponent } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { isAnimalStoreError } from '../../client/src/error.ts';
import type { Scope } from '../domain/access/api-key.ts';
import { Animals } from './animals/animals.tsx';
import { isUnanswered, messageOf } from './api/api.ts';
import { announceReset, connection, startLive } from './api/live.ts';
import { Categories } from './categories/categories.tsx';
import { followCategories, loadCategories } from './categories/categories-state.ts';
import { Events } from './events/events.tsx';
import { endImport, Import, isImporting } from './import/import.tsx';
import { Keys } from './keys/keys.tsx';
import { Orders } from './orders/orders.tsx';
import { Confirm } from './parts/dialog.tsx';
import { clearNotices, Notices, tellFailure } from './parts/notices.tsx';
import { Button } from './parts/parts.tsx';
import { addressOf, place, type Screen, takeLinkToken } from './parts/url-state.ts';
import { Cover } from './session/cover.tsx';
import { ReplaceSession } from './session/replace-session.tsx';
import {
  chooseWorkspace,
  loadSession,
  ownerOf,
  type Session,
  sessionState,
  signIn,
  signOut,
} from './session/session.ts';
import { watchSession } from './session/session-end.ts';
import { SignIn } from './session/sign-in.tsx';
import { WorkspaceChooser } from './session/workspace-chooser.tsx';

interface ScreenOf {
  readonly title: string;
  readonly show: FunctionComponent;
  /** What a session must have for it; undefined where only an owner may. */
  readonly scopes: readonly Scope[] | undefined;
}

const screenTable: Readonly<Record<Screen, ScreenOf>> = {
  animals: { title: 'Animals', show: Animals, scopes: ['pets:read'] },
  orders: { title: 'Orders', show: Orders, scopes: ['orders:read'] },
  categories: { title: 'Categories', show: Categories, scopes: ['pets:read'] },
  import: { title: 'Import', show: Import, scopes: ['pets:read', 'pets:write'] },
  events: { title: 'Events', show: Events, scopes: ['events:read'] },
  keys: { title: 'Keys', show: Keys, scopes: undefined },
};
const inNavigation = ['animals', 'orders', 'categories', 'events', 'keys'] as const;

function isAllowed({ kind, scopes }: Session, screen: Screen): boolean {
  const needed = screenTable[screen].scopes;
  return needed === undefined ? kind === 'owner' : needed.every((scope) => scopes.includes(scope));
}

/** The token of a link, until the service has answered it. */
const link = signal<string | undefined>(undefined);
const linkFault = signal<string | undefined>(undefined);

export function App() {
  useEffect(() => void enter(), []);
  // A link that is opened where the page is already open changes only what follows the #.
  useEffect(() => {
    const take = () => void enter();
    addEventListener('hashchange', take);
    return () => removeEventListener('hashchange', take);
  }, []);
  useEffect(watchSession, []);
  const state = sessionState.value;
  switch (state.is) {
    case 'loading':
      return <p class="table-note">Loading…</p>;
    case 'failed':
      return (
        <main class="sign-in">
          <h1>Sign-in failed</h1>
          <p role="alert">{state.message}</p>
          <Button kind="main" onClick={() => void enter()}>
            Try again
          </Button>
        </main>
      );
    case 'signed-out':
      return <SignIn notice={state.notice ?? linkFault.value} />;
    case 'signed-in':
    case 'covered':
      return <Shop session={state.session} isCovered={state.is === 'covered'} />;
  }
}

/** The page of a session, or its cover. Another owner or workspace begins with a fresh page. */
function Shop(props: { readonly session: Session; readonly isCovered: boolean }) {
  const { session, isCovered } = props;
  return (
    <>
      <div class="page" hidden={isCovered}>
        <Frame key={ownerOf(session)} session={session} isCovered={isCovered} />
      </div>
      {isCovered && <Cover fault={linkFault.value} />}
      {!isCovered && link.value !== undefined && (
        <ReplaceSession
          session={session}
          signIn={spendLink}
          onClose={() => {
            link.value = undefined;
          }}
        />
      )}
    </>
  );
}

/** Signs in with the link in the address. If there is a session already, its user is asked first. */
async function enter(): Promise<void> {
  const token = takeLinkToken() ?? link.peek();
  if (token === undefined) {
    if (sessionState.peek().is !== 'signed-in') await loadSession();
    return;
  }
  linkFault.value = undefined;
  await loadSession();
  link.value = token;
  const { is } = sessionState.peek();
  // It can be tried again where the service did not answer.
  if (is === 'signed-in' || is === 'failed') return;
  try {
    await spendLink();
  } catch (error) {
    // The message names the address where sign-in works. It can be tried again there, and not here.
    const isElsewhere = isAnimalStoreError(error, 'forbidden_origin');
    if (is === 'covered' || isElsewhere) link.value = undefined;
    if (link.peek() === undefined) linkFault.value = messageOf(error);
    else sessionState.value = { is: 'failed', message: messageOf(error) };
  }
}

async function spendLink(): Promise<void> {
  try {
    await signIn({ link: link.peek() ?? '' });
    link.value = undefined;
  } catch (error) {
    if (!isAnimalStoreError(error, 'invalid_api_key')) throw error;
    // Until it was rejected, it can be tried again.
    const isOffered = sessionState.peek().is === 'signed-in';
    link.value = undefined;
    const message = `${messageOf(error)}. Ask the operator of the server for a new one.`;
    if (isOffered) tellFailure(message);
    else throw new Error(message, { cause: error });
  }
}

function Frame(props: { readonly session: Session; readonly isCovered: boolean }) {
  const { session, isCovered } = props;
  const heading = useRef<HTMLHeadingElement>(null);
  const shown = useComputed(() =>
    isAllowed(session, place.value.screen) ? place.value.screen : 'animals',
  );
  const isReady = useSignal(false);
  useEffect(() => {
    clearNotices();
    const unfollow = followCategories();
    return () => {
      unfollow();
      endImport();
      clearNotices();
    };
  }, []);
  useEffect(() => {
    if (isCovered) return;
    const live = startLive(session);
    let isOver = false;
    void live.ready.then(() => {
      if (isOver) return;
      // Nothing was heard while the page was covered.
      if (isReady.peek()) announceReset();
      else if (session.scopes.includes('pets:read')) void loadCategories();
      isReady.value = true;
    });
    return () => {
      isOver = true;
      live.stop();
    };
  }, [session.id, isCovered]);
  const screen = shown.value;
  const { title, show: Show } = screenTable[screen];
  const isFirst = useRef(true);
  // Before it is painted: later, it would take the focus from where somebody has gone on to.
  useLayoutEffect(() => {
    document.title = `${title} – Animal Store`;
    // Who goes to another screen hears its name, and goes on from there.
    if (!isFirst.current) heading.current?.focus();
    isFirst.current = false;
  }, [screen]);
  return (
    <>
      <button type="button" class="skip" onClick={() => heading.current?.focus()}>
        Skip to the content
      </button>
      <Header session={session} screen={screen} />
      <main>
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        {!isAllowed(session, screen) ? (
          <p class="empty">The key that you signed in with may not see this.</p>
        ) : isReady.value ? (
          <Show />
        ) : (
          <p class="table-note">Loading…</p>
        )}
      </main>
      <Notices />
    </>
  );
}

const connectionWords = {
  connecting: 'Connecting…',
  live: 'Live',
  lost: 'No connection: trying again',
  off: 'Not live: the key may not see events',
} as const;

function Header({ session, screen }: { readonly session: Session; readonly screen: Screen }) {
  const { environment, apiKeyName } = session;
  /** What would stop an import, until somebody has said that it may. */
  const stopping = useSignal<(() => Promise<void>) | undefined>(undefined);
  const navigation = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    // On a phone, not all screens fit.
    navigation.current
      ?.querySelector('[aria-current]')
      ?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [screen]);
  function leaveBy(act: () => Promise<void>): void {
    if (isImporting.peek()) stopping.value = act;
    else void act().catch((error) => tellFailure(messageOf(error)));
  }
  const state = connection.value === 'live' && isUnanswered.value ? 'lost' : connection.value;
  return (
    <header class="frame">
      <p class="brand">
        Animal Store
        <span class={`environment ${environment}`}>
          {environment === 'production' ? 'Production' : 'Staging: for tests'}
        </span>
      </p>
      <nav ref={navigation} aria-label="Screens">
        {inNavigation
          .filter((name) => isAllowed(session, name))
          .map((name) => (
            <a
              key={name}
              href={addressOf(name)}
              aria-current={name === screen ? 'page' : undefined}
            >
              {screenTable[name].title}
            </a>
          ))}
        {isImporting.value && screen !== 'import' && <a href={addressOf('import')}>Importing…</a>}
      </nav>
      <div class="about">
        <span class={`connection ${state}`} role="status">
          {connectionWords[state]}
        </span>
        <WorkspaceChooser
          session={session}
          onChoose={(wanted) =>
            leaveBy(() =>
              // It may have been chosen all the same.
              chooseWorkspace(wanted).catch((error) =>
                loadSession().then(() => {
                  throw error;
                }),
              ),
            )
          }
        />
        {apiKeyName !== null && <span class="who">{apiKeyName}</span>}
        <a href="docs">API</a>
        <Button kind="quiet" onClick={() => leaveBy(signOut)}>
          Sign out
        </Button>
      </div>
      {stopping.value !== undefined && (
        <Confirm
          title="Stop the import?"
          yes="Stop it"
          act={stopping.value}
          onClose={() => {
            stopping.value = undefined;
          }}
        >
          To go on with it, choose the same file again within a day.
        </Confirm>
      )}
    </header>
  );
}
