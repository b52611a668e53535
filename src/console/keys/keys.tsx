import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { scopes as allScopes, type Scope } from '../../domain/access/api-key.ts';
import { callConsole, messageOf } from '../api/api.ts';
import type { CreatedKey, Key, KeyPage } from '../contract.ts';
import { Button } from '../parts/controls.tsx';
import { Confirm, useDialog } from '../parts/dialog.tsx';
import { Empty, Failed, Loading, RowActions, ShortTable, Toolbar } from '../parts/display.tsx';
import { showNotice } from '../parts/notices.tsx';
import { common } from '../texts/common.ts';
import { texts } from '../texts/keys.ts';
import { CreateKey, KeySecret, RotateKey } from './key-dialogs.tsx';

type OpenDialog =
  | { readonly is: 'add' }
  | { readonly is: 'rotate' | 'revoke'; readonly key: Key }
  | { readonly is: 'secret'; readonly key: CreatedKey };

/** Keys of the workspace. Only its owner sees this screen. */
export function Keys() {
  const shown = useSignal<KeyPage | undefined>(undefined);
  const isReadingMore = useSignal(false);
  const fault = useSignal<string | undefined>(undefined);
  const { opened, open, close } = useDialog<OpenDialog>();
  const done = () => {
    close();
    void load();
  };
  const showSecret = (key: CreatedKey) => open({ is: 'secret', key });

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

  async function showMore(page: KeyPage): Promise<void> {
    isReadingMore.value = true;
    try {
      const longer = await withNext(page);
      if (shown.peek() === page) shown.value = longer;
    } catch (error) {
      showNotice(messageOf(error));
    } finally {
      isReadingMore.value = false;
    }
  }

  useEffect(() => void load(), []);

  const page = shown.value;
  return (
    <>
      <Toolbar text={texts.create} onClick={() => open({ is: 'add' })}>
        <p>{texts.hint}</p>
      </Toolbar>
      {fault.value !== undefined ? (
        <Failed title={texts.readFailed} message={fault.value} onRetry={() => void load()} />
      ) : page === undefined ? (
        <Loading />
      ) : page.keys.length === 0 ? (
        <Empty title={texts.none} />
      ) : (
        <section class="preview keys" aria-label={texts.title} tabIndex={0}>
          <KeyTable keys={page.keys} onOpen={open} />
          {page.nextBefore !== null && (
            <p class="table-note">
              <Button disabled={isReadingMore.value} onClick={() => void showMore(page)}>
                {texts.showMore}
              </Button>
            </p>
          )}
        </section>
      )}
      {opened?.is === 'add' && <CreateKey onClose={done} onMade={showSecret} />}
      {opened?.is === 'secret' && <KeySecret apiKey={opened.key} onClose={done} />}
      {opened?.is === 'rotate' && (
        <RotateKey apiKey={opened.key} onClose={done} onMade={showSecret} />
      )}
      {opened?.is === 'revoke' && (
        <Confirm
          title={texts.revokeQuestion(opened.key.name)}
          yes={texts.revoke}
          act={async () => {
            await callConsole('revokeKey', { parameters: { keyId: opened.key.id } });
            showNotice(texts.revoked(opened.key.name));
          }}
          onClose={done}
        >
          {texts.revokeHint(opened.key.lastFour)}
        </Confirm>
      )}
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
  readonly onOpen: (dialog: OpenDialog) => void;
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
          <td>
            <code>{key.lastFour}</code>
          </td>
          <td class="scopes">{describeScopes(key.scopes)}</td>
          <td>
            <span class={`status ${key.state}`}>{key.state}</span>
            {key.activeUntil !== null && <small>{texts.until(formatTime(key.activeUntil))}</small>}
          </td>
          <td>{key.lastUsedAt === null ? texts.never : formatTime(key.lastUsedAt)}</td>
          <td>
            <div class="row-actions">
              {key.state === 'active' && (
                <RowActions
                  of={key.name}
                  actions={[
                    [texts.replace, () => onOpen({ is: 'rotate', key })],
                    [texts.revoke, () => onOpen({ is: 'revoke', key })],
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

function formatTime(time: string): string {
  return new Date(time).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' });
}

function describeScopes(scopes: readonly Scope[]): string {
  if (allScopes.every((scope) => scopes.includes(scope))) return texts.allScopes;
  return scopes.map((scope) => texts.scopes[scope]).join(', ');
}
