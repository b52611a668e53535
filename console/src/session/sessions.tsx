import { useSignal } from '@preact/signals';
import { useContext } from 'preact/hooks';
import { isAnimalStoreError } from '../../../client/src/error.ts';
import { isChangingMany } from '../animals/bulk-run.ts';
import { callConsole, session, signOutEverywhere } from '../api/session.ts';
import type { ListedSession } from '../contract.ts';
import { isImporting } from '../import/run/import-state.ts';
import { useAction } from '../parts/action.ts';
import { Button, CheckField } from '../parts/controls.tsx';
import { CloseDialog, Confirm, FormDialog, useDialog } from '../parts/dialog.tsx';
import { formatTime } from '../parts/display.tsx';
import { Item } from '../parts/items.tsx';
import { showNotice } from '../parts/notices.tsx';
import { PageList, usePages } from '../parts/page-list.tsx';
import { common, frame } from '../texts/common.ts';
import { texts } from '../texts/sessions.ts';

/** The sessions that the user can end: for an owner those of all owners and of the keys of the workspace, else those of the same key. */
export function Sessions() {
  const pages = usePages(['sessions'], async (after?: string) => {
    const { sessions, nextAfter } = await callConsole('listSessions', { query: { after } });
    return { rows: sessions, next: nextAfter };
  });
  const isOwner = session.value?.kind === 'owner';
  const { dialog, open } = useDialog(
    {
      end: (ended: ListedSession) => <EndSession ended={ended} />,
      everywhere: () => <SignOutEverywhere isOwner={isOwner} />,
    },
    pages.load,
  );
  return (
    <>
      <div class="toolbar">
        <p>{isOwner ? texts.ownerHint : texts.keyHint}</p>
        <div class="actions">
          <Button onClick={() => open('everywhere')}>{texts.everywhere}</Button>
        </div>
      </div>
      <PageList
        pages={pages}
        label={frame.titles.sessions}
        class="items"
        readFailed={texts.readFailed}
      >
        {(sessions) => (
          <ul>
            {sessions.map((one) => (
              <SessionItem key={one.id} one={one} onEnd={() => open('end', one)} />
            ))}
          </ul>
        )}
      </PageList>
      {dialog}
    </>
  );
}

function userOf({ apiKeyName }: ListedSession): string {
  return apiKeyName === null ? texts.owner : texts.keyNamed(apiKeyName);
}

function SessionItem(props: { readonly one: ListedSession; readonly onEnd: () => void }) {
  const { one, onEnd } = props;
  const { isOwn, workspace, signedInAt, lastActiveAt, expiresAt, address } = one;
  const facts = [
    texts.signedIn(formatTime(signedInAt, 'short')) + (address ? texts.from(address) : ''),
    texts.lastAction(formatTime(lastActiveAt, 'short')),
    texts.ends(formatTime(expiresAt, 'short')),
    workspace !== null && workspace !== session.value?.workspace && texts.inWorkspace(workspace),
  ];
  const name = texts.sessionOf(userOf(one), formatTime(signedInAt, 'medium'));
  return (
    <Item
      name={userOf(one)}
      status={isOwn && <span class="status active">{texts.own}</span>}
      facts={facts}
    >
      {!isOwn && (
        <Button label={common.actionOn(texts.end, name)} onClick={onEnd}>
          {texts.end}
        </Button>
      )}
    </Item>
  );
}

function EndSession({ ended }: { readonly ended: ListedSession }) {
  const { id: sessionId, apiKeyName, signedInAt } = ended;
  async function act(): Promise<void> {
    try {
      await callConsole('endSession', { parameters: { sessionId } });
      showNotice(texts.ended(userOf(ended)));
    } catch (error) {
      if (!isAnimalStoreError(error, 'not_found')) throw error;
      showNotice(texts.gone);
    }
  }
  return (
    <Confirm
      title={texts.endQuestion(userOf(ended), formatTime(signedInAt, 'short'))}
      hint={apiKeyName === null ? texts.endOwnerHint : texts.endKeyHint(apiKeyName)}
      yes={texts.end}
      act={act}
    />
  );
}

function SignOutEverywhere({ isOwner }: { readonly isOwner: boolean }) {
  const staysHere = useSignal(false);
  const close = useContext(CloseDialog);
  const action = useAction(async () => {
    const count = await signOutEverywhere(staysHere.peek());
    if (!staysHere.peek()) return;
    showNotice(texts.endedCount(count));
    close();
  });
  return (
    <FormDialog
      title={texts.everywhere}
      action={action}
      kind="danger"
      focus="cancel"
      submit={texts.everywhere}
    >
      <p>{isOwner ? texts.everywhereOwnerHint : texts.everywhereKeyHint}</p>
      <CheckField
        label={texts.stayHere}
        isChecked={staysHere.value}
        onCheck={(stays) => {
          staysHere.value = stays;
        }}
      />
      {(isImporting.value || isChangingMany.value) && !staysHere.value && (
        <p class="question">{texts.everywhereWork}</p>
      )}
    </FormDialog>
  );
}
