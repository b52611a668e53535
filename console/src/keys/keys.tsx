import { defaultScopes, type Scope } from '../../../src/domain/access/api-key.ts';
import { callConsole } from '../api/session.ts';
import type { CreatedKey, Key } from '../contract.ts';
import { useUnmounted } from '../parts/action.ts';
import { Confirm, useDialog } from '../parts/dialog.tsx';
import { formatTime, RowActions, ShortTable, Status, Toolbar } from '../parts/display.tsx';
import { showFailure, showNotice } from '../parts/notices.tsx';
import { PageList, usePages } from '../parts/page-list.tsx';
import { Secret } from '../parts/secret.tsx';
import { common, frame } from '../texts/common.ts';
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
        <Secret title={texts.secretOf(name)} label={texts.secret} secret={key} />
      ),
    },
    pages.load,
  );
  return (
    <>
      <Toolbar text={texts.create} onClick={() => open('add')}>
        <p>{texts.hint}</p>
      </Toolbar>
      <PageList
        pages={pages}
        label={frame.titles.keys}
        class="preview keys"
        readFailed={texts.readFailed}
        none={texts.none}
      >
        {(keys) => <KeyTable keys={keys} onOpen={open} />}
      </PageList>
      {dialog}
    </>
  );
}

function KeyTable(props: {
  readonly keys: readonly Key[];
  readonly onOpen: (dialog: 'rotate' | 'revoke', key: Key) => void;
}) {
  const { keys, onOpen } = props;
  const { lastFour, permissions, state, lastUsed } = texts;
  return (
    <ShortTable columns={[common.name, lastFour, permissions, state, lastUsed, common.actions]}>
      {keys.map((key) => (
        <tr key={key.id}>
          <th scope="row">
            <bdi>{key.name}</bdi>
          </th>
          <td class="last-four" data-column={lastFour}>
            <code>{key.lastFour}</code>
          </td>
          <td class="permissions">
            {describeScopes(key.scopes) + describeRateLimit(key.rateLimit)}
          </td>
          <td class="state">
            <Status status={key.state} />
            {key.activeUntil !== null && (
              <small>{texts.until(formatTime(key.activeUntil, 'short'))}</small>
            )}
          </td>
          <td class="last-used" data-column={lastUsed}>
            {key.lastUsedAt === null ? texts.never : formatTime(key.lastUsedAt, 'short')}
          </td>
          <td>
            <div class="row-actions">
              {key.state === 'active' && (
                <RowActions
                  of={shortName(key.name)}
                  actions={[
                    { text: texts.replace, run: () => onOpen('rotate', key) },
                    { text: texts.revoke, run: () => onOpen('revoke', key) },
                  ]}
                />
              )}
            </div>
          </td>
        </tr>
      ))}
    </ShortTable>
  );
}

function describeRateLimit(rateLimit: string | null): string {
  const [requests, unit] = rateLimit?.split('/') ?? [];
  if (requests === undefined) return '';
  const per = texts.pers.find(([value]) => value === unit)?.[1] ?? '';
  return texts.rateLimit(Number(requests).toLocaleString(), per);
}

function describeScopes(scopes: readonly Scope[]): string {
  const hasDefault = defaultScopes.every((scope) => scopes.includes(scope));
  const others = hasDefault ? scopes.filter((scope) => !defaultScopes.includes(scope)) : scopes;
  const names = others.map((scope) => texts.scopes[scope]);
  return (hasDefault ? [texts.allScopes, ...names] : names).join(', ');
}
