import { useLayoutEffect, useRef } from 'preact/hooks';
import { isChangingMany } from '../animals/bulk-run.ts';
import { announce, connection } from '../api/announce.ts';
import { isUnanswered } from '../api/service.ts';
import { type Session, signOut } from '../api/session.ts';
import { isImporting } from '../import/run/import-state.ts';
import { Button } from '../parts/controls.tsx';
import { Confirm, useDialog } from '../parts/dialog.tsx';
import { showError } from '../parts/notices.tsx';
import { addressOf, navigationScreens, type Screen } from '../route.ts';
import { WorkspaceMenu } from '../session/workspace-menu.tsx';
import { workTexts as bulkTexts } from '../texts/bulk.ts';
import { common, frame as texts } from '../texts/common.ts';
import { isAllowed } from './screens.ts';
import { SettingsMenu } from './settings-menu.tsx';
import { UndoMenu } from './undo-menu.tsx';

/** The name of the shop, the screens, the connection, and what belongs to the session. */
export function Header({
  session,
  screen,
}: {
  readonly session: Session;
  readonly screen: Screen;
}) {
  const { environment } = session;
  const { dialog, open } = useDialog({
    stopWork: (question: typeof texts.stopImport | typeof bulkTexts.leave) => (
      <Confirm {...question} act={signOut} />
    ),
  });
  const header = useRef<HTMLElement>(null);
  useLayoutEffect(() => (header.current === null ? undefined : keepHeight(header.current)), []);
  function stopWorkAndSignOut(): void {
    if (isImporting.peek()) open('stopWork', texts.stopImport);
    else if (isChangingMany.peek()) open('stopWork', bulkTexts.leave);
    else void signOut().catch(showError);
  }
  const state = connection.value === 'live' && isUnanswered.value ? 'slow' : connection.value;
  return (
    <header class="frame" ref={header}>
      <p class="brand">
        {common.title}
        <span class={`environment ${environment}`}>{texts.environments[environment]}</span>
      </p>
      <nav aria-label={texts.screens}>
        {navigationScreens
          .filter((name) => isAllowed(session, name))
          .map((name) => (
            <a key={name} href={addressOf(name)} aria-current={currentAt(name, screen)}>
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
        {state === 'off' && <Button onClick={() => announce('reset')}>{texts.reload}</Button>}
        <UndoMenu />
        <WorkspaceMenu session={session} isWorking={isImporting.value || isChangingMany.value} />
        <SettingsMenu session={session} screen={screen} onSignOut={stopWorkAndSignOut} />
      </div>
      {dialog}
    </header>
  );
}

/** An import belongs to the animals. */
function currentAt(name: Screen, shown: Screen): 'page' | 'true' | undefined {
  if (name === shown) return 'page';
  return name === 'animals' && shown === 'import' ? 'true' : undefined;
}

/** Tells the style sheet how much of the window the header covers while the page scrolls. Returns what ends this. */
function keepHeight(header: HTMLElement): () => void {
  const write = () => {
    const isCovering = getComputedStyle(header).position === 'sticky';
    const height = isCovering ? header.offsetHeight : 0;
    document.documentElement.style.setProperty('--header-height', `${height}px`);
  };
  const watcher = new ResizeObserver(write);
  watcher.observe(header);
  addEventListener('resize', write);
  return () => {
    watcher.disconnect();
    removeEventListener('resize', write);
  };
}
