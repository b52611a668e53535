import { useContext } from 'preact/hooks';
import type { KnownSession } from '../api/session.ts';
import { useAction } from '../parts/action.ts';
import { Button, Fault } from '../parts/controls.tsx';
import { CloseDialog, Dialog } from '../parts/dialog.tsx';
import { texts } from '../texts/session.ts';

/** Asks before a link replaces the session of this browser. Until then, the link is not used. */
export function ReplaceSession(props: {
  readonly session: KnownSession;
  /** The link would stop an import or a change of many animals. */
  readonly isWorking: boolean;
  readonly signIn: () => Promise<void>;
}) {
  const { session, isWorking, signIn } = props;
  const close = useContext(CloseDialog);
  const replaceAction = useAction(signIn);
  return (
    <Dialog title={texts.replaceQuestion} isBusy={replaceAction.isRunning}>
      <p>
        {texts.replaceLink}
        {session.apiKeyName === null ? (
          texts.asOwner
        ) : (
          <>
            {texts.withKey}
            <bdi>{session.apiKeyName}</bdi>
            {texts.inWorkspace}
            <bdi>{session.workspace}</bdi>
            {texts.endQuote}
          </>
        )}
        {isWorking ? texts.replaceEndsWork : texts.replaceEnds}
      </p>
      <Fault message={replaceAction.fault} />
      <footer>
        <Button onClick={close} disabled={replaceAction.isRunning} autofocus>
          {texts.replaceNo}
        </Button>
        <Button kind="main" onClick={replaceAction.run} disabled={replaceAction.isRunning}>
          {texts.replaceYes}
        </Button>
      </footer>
    </Dialog>
  );
}
