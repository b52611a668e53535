import { useComputed } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { BulkProgress } from '../animals/bulk-progress.tsx';
import { endBulk } from '../animals/bulk-run.ts';
import { announce } from '../api/announce.ts';
import { followChanges } from '../api/changes.ts';
import { startLive } from '../api/live.ts';
import type { Session } from '../api/session.ts';
import { followCategories } from '../categories/categories-state.ts';
import { endImport } from '../import/run/import-state.ts';
import { loadAll } from '../loading/later.ts';
import { takeReloaded } from '../loading/reload.ts';
import { clearNotices, Notices, showNotice } from '../parts/notices.tsx';
import { recordTitle } from '../parts/record-title.ts';
import { endUndos } from '../parts/undo.ts';
import { route } from '../route.ts';
import { isWide } from '../tables/media.ts';
import { common, frame as texts } from '../texts/common.ts';
import { isolate } from '../texts/short-name.ts';
import { Header } from './header.tsx';
import { firstAllowed, isAllowed } from './screens.ts';
import { ShownScreen } from './shown-screen.tsx';

/** After this time, the first screen has most likely read its records. */
const backgroundMilliseconds = 2000;

/** What is around each screen: the header, the heading, messages, and the events of the session. */
export function Frame(props: { readonly session: Session; readonly isLocked: boolean }) {
  const { session, isLocked } = props;
  const heading = useRef<HTMLHeadingElement>(null);
  const shown = useComputed(() =>
    isAllowed(session, route.value.screen) ? route.value.screen : firstAllowed(session),
  );
  const hasStarted = useRef(false);
  useEffect(() => {
    clearNotices();
    if (takeReloaded()) showNotice(common.reloaded);
    const unfollow = followChanges();
    const leaveCategories = session.scopes.includes('pets:read') ? followCategories() : () => {};
    const timer = setTimeout(() => void loadAll(), backgroundMilliseconds);
    return () => {
      clearTimeout(timer);
      leaveCategories();
      unfollow();
      endImport();
      endBulk();
      clearNotices();
    };
  }, []);
  useEffect(() => {
    endUndos();
    // A locked page gets no events.
    if (isLocked) return;
    if (hasStarted.current) announce('reset');
    hasStarted.current = true;
    return startLive(session);
  }, [session.id, isLocked]);
  const screen = shown.value;
  const { record } = route.value;
  const { name, text: title } = recordTitle.value ?? { text: texts.titles[screen] };
  const isBeside = screen === 'animals' && record !== undefined && isWide.value;
  const isFirst = useRef(true);
  const wasBeside = useRef(false);
  const hadFocus = document.activeElement === heading.current;
  // Before the first paint: later, it would take the focus from a control that the user has reached by then.
  useLayoutEffect(() => {
    // A screen reader reads the name of the next screen, and continues from there.
    if (!isFirst.current) heading.current?.focus({ preventScroll: true });
    isFirst.current = false;
    // Beside its list, the page of a record has a place of its own.
    if (!isBeside && !wasBeside.current) scrollTo(0, 0);
    wasBeside.current = isBeside;
  }, [screen, record]);
  useLayoutEffect(() => {
    document.title = common.pageTitle(name === undefined ? title : `${isolate(name)} ${title}`);
    // It is another element, so that a screen reader reads the name of a record when it is known.
    if (hadFocus) heading.current?.focus({ preventScroll: true });
  }, [name, title]);
  return (
    <>
      <button type="button" class="skip" onClick={() => heading.current?.focus()}>
        {texts.skip}
      </button>
      <Header session={session} screen={screen} />
      <main class={isBeside ? 'split' : undefined}>
        <h1 key={`${name} ${title}`} ref={heading} tabIndex={-1}>
          {name !== undefined && <bdi>{name}</bdi>} {title}
        </h1>
        {!isAllowed(session, screen) ? (
          <p class="empty">{texts.notAllowed}</p>
        ) : (
          <ShownScreen screen={screen} />
        )}
      </main>
      {(screen !== 'animals' || record !== undefined) && <BulkProgress />}
      <Notices />
    </>
  );
}
