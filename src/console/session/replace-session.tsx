import { useContext } from 'preact/hooks';
import { isImporting } from '../import/import.tsx';
import { useAction } from '../parts/action.ts';
import { Button, Fault } from '../parts/controls.tsx';
import { Dialog, DialogCloser } from '../parts/dialog.tsx';
import { texts } from '../texts/session.ts';
import type { Session } from './session.ts';

/** Asks before a link replaces the session of this browser. Until then, the link is not used. */
export function ReplaceSession(props: {
  readonly session: Session;
  readonly signIn: () => Promise<void>;
}) {
  const { session, signIn } = props;
  const close = useContext(DialogCloser);
  const enter = useAction(signIn);
  return (
    <Dialog title={texts.replaceQuestion} isBusy={enter.isRunning}>
      <p>
        {texts.replaceLink}
        {session.apiKeyName === null ? (
          texts.asOwner
        ) : (
          <>
            {texts.withKey}
            <bdi>{session.apiKeyName}</bdi>
            {texts.endQuote}
          </>
        )}
        {texts.inWorkspace}
        <bdi>{session.workspace}</bdi>
        {texts.endQuote}
        {isImporting.value ? texts.replaceEndsImport : texts.replaceEnds}
      </p>
      <Fault message={enter.fault} />
      <footer>
        <Button onClick={close} disabled={enter.isRunning} autofocus>
          {texts.replaceNo}
        </Button>
        <Button kind="main" onClick={enter.run} disabled={enter.isRunning}>
          {texts.replaceYes}
        </Button>
      </footer>
    </Dialog>
  );
}
