import type { KnownSession } from '../api/session.ts';
import { useAction } from '../parts/action.ts';
import { FormDialog } from '../parts/dialog.tsx';
import { texts } from '../texts/session.ts';

/** Asks before a link replaces the session of this browser. Until then, the link is not used. */
export function ReplaceSession(props: {
  readonly session: KnownSession;
  /** The link would stop an import or a change of many animals. */
  readonly isWorking: boolean;
  readonly signIn: () => Promise<void>;
}) {
  const { session, isWorking } = props;
  return (
    <FormDialog
      title={texts.replaceQuestion}
      action={useAction(props.signIn)}
      submit={texts.replaceYes}
      cancel={texts.replaceNo}
      focus="cancel"
      mustWait
    >
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
    </FormDialog>
  );
}
