import { isImporting } from '../import/import.tsx';
import { useAction } from '../parts/action.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Button, Fault } from '../parts/parts.tsx';
import type { Session } from './session.ts';

/** Asks before a link replaces the session of this browser. Until then, the link is not used. */
export function ReplaceSession(props: {
  readonly session: Session;
  readonly signIn: () => Promise<void>;
  readonly onClose: () => void;
}) {
  const { session, signIn, onClose } = props;
  const enter = useAction(signIn);
  return (
    <Dialog title="Sign in as owner?" onClose={onClose} isBusy={enter.isRunning}>
      <p>
        You opened a link that signs in as owner. You are signed in{' '}
        {session.apiKeyName === null ? (
          'as owner'
        ) : (
          <>
            with the key “<bdi>{session.apiKeyName}</bdi>”
          </>
        )}{' '}
        in the workspace “<bdi>{session.workspace}</bdi>”. The link ends that session, in all tabs
        {isImporting.value ? ', and stops the import' : ''}.
      </p>
      <Fault message={enter.fault} />
      <footer>
        <Button onClick={onClose} disabled={enter.isRunning} autofocus>
          Stay
        </Button>
        <Button kind="main" onClick={() => void enter.run()} disabled={enter.isRunning}>
          Sign in as owner
        </Button>
      </footer>
    </Dialog>
  );
}
