import { useLayoutEffect, useRef } from 'preact/hooks';
import { type KnownSession, signOut } from '../api/session.ts';
import { useAction } from '../parts/action.ts';
import { Button, Fault } from '../parts/controls.tsx';
import { pathOfWorkspace } from '../route.ts';
import { common, frame } from '../texts/common.ts';
import { texts } from '../texts/session.ts';
import { WorkspaceList } from './workspace-list.tsx';

/** The address names a workspace that does not exist, or that the key of the session does not have. It shows no record of another. */
export function Elsewhere(props: { readonly session: KnownSession; readonly wanted: string }) {
  const { session, wanted } = props;
  const { apiKeyName, workspace } = session;
  const heading = useRef<HTMLHeadingElement>(null);
  const signOutAction = useAction(signOut);
  const title = apiKeyName === null ? texts.chooseWorkspace : texts.otherWorkspace;
  useLayoutEffect(() => {
    document.title = common.pageTitle(title);
    heading.current?.focus();
  }, [title]);
  return (
    <main class="sign-in">
      <h1 ref={heading} tabIndex={-1}>
        {title}
      </h1>
      {apiKeyName === null || workspace === null ? (
        <>
          <p>{texts.unknownWorkspace(wanted)}</p>
          <WorkspaceList session={session} />
        </>
      ) : (
        <>
          <p>{texts.keyWorkspace(apiKeyName, workspace, wanted)}</p>
          <a class="button main" href={pathOfWorkspace(workspace)}>
            {texts.openWorkspace(workspace)}
          </a>
        </>
      )}
      <Fault message={signOutAction.fault} />
      <Button onClick={signOutAction.run} disabled={signOutAction.isRunning}>
        {frame.signOut}
      </Button>
    </main>
  );
}
