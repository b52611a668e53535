import { defaultScopes, type Scope } from '../../../src/domain/access/api-key.ts';
import { callConsole } from '../api/session.ts';
import type { CreatedKey, Key } from '../contract.ts';
import { useUnmounted } from '../parts/action.ts';
import { PageActions } from '../parts/actions.tsx';
import { Button } from '../parts/controls.tsx';
import { Confirm, useDialog } from '../parts/dialog.tsx';
import { Empty, formatTime, Status, Toolbar } from '../parts/display.tsx';
import { Item } from '../parts/items.tsx';
import { showFailure, showNotice } from '../parts/notices.tsx';
import { PageList, usePages } from '../parts/page-list.tsx';
import { Secret } from '../parts/secret.tsx';
import { frame } from '../texts/common.ts';
import { texts } from '../texts/keys.ts';
import { shortName } from '../texts/short-name.ts';
import { CreateKey, RotateKey } from './key-dialogs.tsx';

/** Keys of the workspace. Only an owner of the data sees this screen. */
export function Keys() {
  const pages = usePages(['keys'], async (before?: number) => {
    const { keys, nextBefore } = await callConsole('listKeys', { query: { before } });
    return { rows: keys, next: nextBefore };
  });
  const unmounted = useUnmounted();
  const showSecret = (key: CreatedKey): void => {
    if (unmounted.aborted) showFailure(texts.keyNotShown(key.name));
    else open('secret', key);
  };
  const { dialog, open } = useDialog(
    {
      add: () => <CreateKey onCreated={showSecret} />,
      rotate: (apiKey: Key) => <RotateKey apiKey={apiKey} onCreated={showSecret} />,
      revoke: ({ id: keyId, name, lastFour }: Key) => (
        <Confirm
          title={texts.revokeQuestion(name)}
          hint={texts.revokeHint(lastFour)}
          yes={texts.revoke}
          act={async () => {
            await callConsole('revokeKey', { parameters: { keyId } });
            showNotice(texts.revoked(name));
          }}
        />
      ),
      secret: ({ name, key }: CreatedKey) => (
        <Secret
          title={texts.secretOf(name)}
          label={texts.secret}
          hint={texts.copySecret}
          secret={key}
        />
      ),
    },
    pages.load,
  );
  return (
    <>
      <Toolbar
        text={texts.create}
        isAllowed={(pages.page?.rows.length ?? 0) > 0}
        onClick={() => open('add')}
      >
        <p>{texts.hint}</p>
      </Toolbar>
      <PageList
        pages={pages}
        label={frame.titles.keys}
        class="items"
        readFailed={texts.readFailed}
        none={
          <Empty title={texts.none}>
            <p>{texts.noneHint}</p>
            <Button kind="main" onClick={() => open('add')}>
              {texts.create}
            </Button>
          </Empty>
        }
      >
        {(keys) => (
          <ul>
            {keys.map((key) => (
              <KeyItem key={key.id} apiKey={key} onOpen={open} />
            ))}
          </ul>
        )}
      </PageList>
      {dialog}
    </>
  );
}

function KeyItem(props: {
  readonly apiKey: Key;
  readonly onOpen: (dialog: 'rotate' | 'revoke', key: Key) => void;
}) {
  const { apiKey, onOpen } = props;
  const { name, state, activeUntil, lastUsedAt } = apiKey;
  return (
    <Item
      name={name}
      status={
        <span>
          <Status status={state} />
          {activeUntil !== null && texts.until(formatTime(activeUntil, 'short'))}
        </span>
      }
      about={describeScopes(apiKey.scopes) + describeRateLimit(apiKey.rateLimit)}
      facts={[
        texts.lastFour(apiKey.lastFour),
        lastUsedAt === null ? texts.neverUsed : texts.lastUsed(formatTime(lastUsedAt, 'short')),
      ]}
    >
      {state === 'active' && (
        <span class="row-actions">
          <PageActions
            of={shortName(name)}
            actions={[
              { text: texts.replace, run: () => onOpen('rotate', apiKey) },
              { text: texts.revoke, run: () => onOpen('revoke', apiKey) },
            ]}
          />
        </span>
      )}
    </Item>
  );
}

function describeRateLimit(rateLimit: string | null): string {
  const [requests, unit] = rateLimit?.split('/') ?? [];
  if (requests === undefined) return '';
  const per = Object.entries(texts.pers).find(([key]) => key === unit)?.[1] ?? '';
  return texts.rateLimit(Number(requests), per);
}

function describeScopes(scopes: readonly Scope[]): string {
  const hasDefault = defaultScopes.every((scope) => scopes.includes(scope));
  const others = hasDefault ? scopes.filter((scope) => !defaultScopes.includes(scope)) : scopes;
  const names = others.map((scope) => texts.scopes[scope]);
  return (hasDefault ? [texts.allScopes, ...names] : names).join(', ');
}
