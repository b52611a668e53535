import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { scopes as allScopes, type Scope } from '../../domain/access/api-key.ts';
import { messageOf } from '../api/service.ts';
import { callConsole } from '../api/session.ts';
import type { CreatedKey, Key, KeyPage } from '../contract.ts';
import { useAction } from '../parts/action.ts';
import { Button, Fault } from '../parts/controls.tsx';
import { Confirm, useDialog } from '../parts/dialog.tsx';
import {
  Empty,
  Failed,
  formatTime,
  Loading,
  RowActions,
  ShortTable,
  Status,
  Toolbar,
} from '../parts/display.tsx';
import { showNotice } from '../parts/notices.tsx';
import { common, frame } from '../texts/common.ts';
import { texts } from '../texts/keys.ts';
import { shortName } from '../texts/short-name.ts';
import { CreateKey, KeySecret, RotateKey } from './key-dialogs.tsx';

/** Keys of the workspace. Only an owner of the data sees this screen. */
export function Keys() {
  const shown = useSignal<KeyPage | undefined>(undefined);
  const fault = useSignal<string | undefined>(undefined);
  const showSecret = (key: CreatedKey): void => open('secret', key);
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
      secret: (apiKey: CreatedKey) => <KeySecret apiKey={apiKey} />,
    },
    () => void load(),
  );

  /** Reads as many keys again as are shown, so that the list keeps its length after a change. */
  async function load(): Promise<void> {
    fault.value = undefined;
    try {
      const count = shown.peek()?.keys.length ?? 0;
      let page = await readKeys();
      while (page.keys.length < count && page.nextBefore !== null) page = await withNext(page);
      shown.value = page;
    } catch (error) {
      fault.value = messageOf(error);
    }
  }

  const more = useAction(async () => {
    const page = shown.peek();
    if (page === undefined) return;
    const longer = await withNext(page);
    if (shown.peek() === page) shown.value = longer;
  });
  useEffect(() => void load(), []);

  const page = shown.value;
  return (
    <>
      <Toolbar text={texts.create} onClick={() => open('add')}>
        <p>{texts.hint}</p>
      </Toolbar>
      {fault.value !== undefined ? (
        <Failed title={texts.readFailed} message={fault.value} onRetry={() => void load()} />
      ) : page === undefined ? (
        <Loading />
      ) : page.keys.length === 0 ? (
        <Empty title={texts.none} />
      ) : (
        <section class="preview keys" aria-label={frame.titles.keys} tabIndex={0}>
          <KeyTable keys={page.keys} onOpen={open} />
          {page.nextBefore !== null && (
            <p class="table-note">
              <Button disabled={more.isRunning} onClick={more.run}>
                {texts.showMore}
              </Button>
              <Fault message={more.fault} />
            </p>
          )}
        </section>
      )}
      {dialog}
    </>
  );
}

function readKeys(before?: KeyPage['nextBefore']): Promise<KeyPage> {
  return callConsole('listKeys', { query: { before: before ?? undefined } });
}

async function withNext(page: KeyPage): Promise<KeyPage> {
  const next = await readKeys(page.nextBefore);
  return { keys: [...page.keys, ...next.keys], nextBefore: next.nextBefore };
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
  if (allScopes.every((scope) => scopes.includes(scope))) return texts.allScopes;
  return scopes.map((scope) => texts.scopes[scope]).join(', ');
}
