import { useSignal } from '@preact/signals';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import type { Session } from '../api/session.ts';
import { Button } from '../parts/controls.tsx';
import { texts } from '../texts/session.ts';
import { WorkspaceList } from './workspace-list.tsx';

/** The workspace of the page. A button opens a list of the others. While work runs, they open in a tab of their own. */
export function WorkspaceMenu(props: { readonly session: Session; readonly isWorking: boolean }) {
  const { session, isWorking } = props;
  const { workspace, workspaces = [], hasMoreWorkspaces = false } = session;
  const id = useId();
  const isOpen = useSignal(false);
  const menu = useRef<HTMLDivElement>(null);
  const button = () => menu.current?.querySelector('button');
  const isOutside = ({ target }: Event) =>
    target instanceof Node && menu.current?.contains(target) === false;
  function close(): void {
    isOpen.value = false;
    button()?.focus();
  }
  // Before the next key.
  useLayoutEffect(() => {
    if (!isOpen.value) return;
    menu.current?.querySelector<HTMLElement>('input, [aria-current]')?.focus();
    const closeOutside = (event: Event) => {
      if (isOutside(event)) isOpen.value = false;
    };
    const types = ['pointerdown', 'focusin'] as const;
    for (const type of types) addEventListener(type, closeOutside);
    return () => {
      for (const type of types) removeEventListener(type, closeOutside);
    };
  }, [isOpen.value]);
  if (workspaces.length < 2 && !hasMoreWorkspaces) {
    return workspace === 'default' ? null : <span class="workspace">{workspace}</span>;
  }
  return (
    <div
      ref={menu}
      role="none"
      class="workspace-menu"
      onKeyDown={(event) => {
        if (event.key === 'Escape' && isOpen.peek()) close();
      }}
    >
      <Button
        label={texts.workspaceIs(workspace)}
        aria-expanded={isOpen.value}
        aria-controls={id}
        onClick={() => {
          isOpen.value = !isOpen.peek();
        }}
        onKeyDown={(event) => {
          if (event.key !== 'ArrowDown') return;
          event.preventDefault();
          isOpen.value = true;
        }}
      >
        <bdi>{workspace}</bdi>
      </Button>
      <div id={id} hidden={!isOpen.value}>
        {isOpen.value && (
          <>
            {isWorking && <p>{texts.workStays}</p>}
            <WorkspaceList session={session} onCurrent={close} opensTab={isWorking} />
          </>
        )}
      </div>
    </div>
  );
}
