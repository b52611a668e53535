import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import {
  scopes as allScopes,
  apiKeyNameLengthMax,
  type Scope,
} from '../../domain/access/api-key.ts';
import { callConsole, messageOf } from '../api/api.ts';
import type { CreatedKey, Key, KeyPage } from '../contract.ts';
import { useAction } from '../parts/action.ts';
import { Confirm, Dialog, FormFooter, showFault, useWindow } from '../parts/dialog.tsx';
import { tell } from '../parts/notices.tsx';
import { Button, Empty, Fault, Field, Form, TextField } from '../parts/parts.tsx';

type Window =
  | { readonly is: 'add' }
  | { readonly is: 'rotate' | 'revoke'; readonly key: Key }
  | { readonly is: 'made'; readonly key: CreatedKey };

/** Keys of the workspace, for its owner alone. */
export function Keys() {
  const shown = useSignal<KeyPage | undefined>(undefined);
  const isReadingMore = useSignal(false);
  const { opened, open, close } = useWindow<Window>();
  const done = () => {
    close();
    void load();
  };
  const fault = useSignal<string | undefined>(undefined);

  /** Reads as many keys again as are shown, so that the list keeps its length after a change. */
  async function load(): Promise<void> {
    fault.value = undefined;
    try {
      const count = shown.peek()?.keys.length ?? 0;
      let page = await readPage(null);
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
      tell(messageOf(error));
    } finally {
      isReadingMore.value = false;
    }
  }

  useEffect(() => void load(), []);

  const page = shown.value;
  return (
    <>
      <div class="toolbar">
        <p>A program, such as your website, uses a key to read and change these animals.</p>
        <div class="actions">
          <Button kind="main" onClick={() => open({ is: 'add' })}>
            Create a key
          </Button>
        </div>
      </div>
      {fault.value !== undefined ? (
        <Empty title="The keys cannot be read">
          <p role="alert">{fault.value}</p>
          <Button onClick={() => void load()}>Try again</Button>
        </Empty>
      ) : page === undefined ? (
        <p class="table-note">Loading…</p>
      ) : page.keys.length === 0 ? (
        <Empty title="No keys yet" />
      ) : (
        <section class="preview keys" aria-label="Keys" tabIndex={0}>
          <table>
            <thead>
              <tr>
                <th scope="col">Name</th>
                <th scope="col">Last 4</th>
                <th scope="col">Permissions</th>
                <th scope="col">State</th>
                <th scope="col">Last used</th>
                <th scope="col">Actions</th>
              </tr>
            </thead>
            <tbody>
              {page.keys.map((key) => (
                <KeyRow key={key.id} apiKey={key} onWindow={open} />
              ))}
            </tbody>
          </table>
          {page.nextBefore !== null && (
            <p class="table-note">
              <Button disabled={isReadingMore.value} onClick={() => void showMore(page)}>
                Show more
              </Button>
            </p>
          )}
        </section>
      )}
      {opened?.is === 'add' && (
        <CreateKey onClose={done} onMade={(key) => open({ is: 'made', key })} />
      )}
      {opened?.is === 'made' && <MadeKey apiKey={opened.key} onClose={done} />}
      {opened?.is === 'rotate' && (
        <RotateKey apiKey={opened.key} onClose={done} onMade={(key) => open({ is: 'made', key })} />
      )}
      {opened?.is === 'revoke' && (
        <Confirm
          title={`Revoke ${opened.key.name}?`}
          yes="Revoke"
          act={async () => {
            await callConsole('revokeKey', { parameters: { keyId: opened.key.id } });
            tell(`The key ${opened.key.name} is revoked.`);
          }}
          onClose={done}
        >
          Whatever uses the key ending in {opened.key.lastFour} is refused from now on. This cannot
          be undone.
        </Confirm>
      )}
    </>
  );
}

async function readPage(before: number | null): Promise<KeyPage> {
  return await callConsole('listKeys', { query: { before: before ?? undefined } });
}

async function withNext(page: KeyPage): Promise<KeyPage> {
  const next = await readPage(page.nextBefore);
  return { keys: [...page.keys, ...next.keys], nextBefore: next.nextBefore };
}

function KeyRow({
  apiKey,
  onWindow,
}: {
  readonly apiKey: Key;
  readonly onWindow: (window: Window) => void;
}) {
  const { name, lastFour, scopes, state, activeUntil, lastUsedAt } = apiKey;
  return (
    <tr>
      <th scope="row">
        <bdi>{name}</bdi>
      </th>
      <td>
        <code>{lastFour}</code>
      </td>
      <td class="scopes">{describeScopes(scopes)}</td>
      <td>
        <span class={`status ${state}`}>{state}</span>
        {activeUntil !== null && <small> until {formatTime(activeUntil)}</small>}
      </td>
      <td>{lastUsedAt === null ? 'never' : formatTime(lastUsedAt)}</td>
      <td>
        <div class="row-actions">
          {state === 'active' && (
            <>
              <Button
                label={`Replace ${name}`}
                onClick={() => onWindow({ is: 'rotate', key: apiKey })}
              >
                Replace
              </Button>
              <Button
                label={`Revoke ${name}`}
                onClick={() => onWindow({ is: 'revoke', key: apiKey })}
              >
                Revoke
              </Button>
            </>
          )}
        </div>
      </td>
    </tr>
  );
}

function formatTime(time: string): string {
  return new Date(time).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' });
}

/** What keys may do, in words. */
const scopeWords: Readonly<Record<Scope, string>> = {
  'pets:read': 'see animals',
  'pets:write': 'change animals',
  'orders:read': 'see orders',
  'orders:write': 'place and change orders',
  'events:read': 'see events',
};

function describeScopes(scopes: readonly Scope[]): string {
  if (allScopes.every((scope) => scopes.includes(scope))) return 'do everything in the shop';
  return scopes.map((scope) => scopeWords[scope]).join(', ');
}

/** A key is told once: where its answer is lost, nobody will ever have it. */
async function makeKey(made: Promise<CreatedKey>): Promise<CreatedKey> {
  try {
    return await made;
  } catch (error) {
    const { code } = Object(error);
    if (code !== 'connection_failed' && code !== 'timed_out') throw error;
    throw new Error(
      'No answer came. The key may have been made, and nobody can see it any more: go back, look for it in the list, and revoke it.',
    );
  }
}

function CreateKey(props: {
  readonly onMade: (key: CreatedKey) => void;
  readonly onClose: () => void;
}) {
  const name = useSignal('');
  const scopes = useSignal<readonly Scope[]>(['pets:read']);
  const days = useSignal('');
  const showsFaults = useSignal(false);
  const nameFault =
    name.value.trim() === '' ? 'Give a name, such as that of the program.' : undefined;
  const make = useAction(async () => {
    showsFaults.value = true;
    if (nameFault !== undefined || scopes.peek().length === 0) return showFault();
    const body = {
      name: name.peek(),
      scopes: scopes.peek(),
      ...(days.peek() === '' ? {} : { expiresInDays: Number(days.peek()) }),
    };
    props.onMade(await makeKey(callConsole('createKey', { body })));
  });
  return (
    <Dialog
      title="Create a key"
      onClose={props.onClose}
      isBusy={make.isRunning}
      isDirty={name.value !== ''}
    >
      <Form action={make}>
        <TextField
          label="Name"
          value={name.value}
          hint="Who or what uses it, such as Website"
          fault={showsFaults.value ? nameFault : undefined}
          lengthMax={apiKeyNameLengthMax}
          autofocus
          isRequired
          onInput={(text) => {
            name.value = text;
          }}
        />
        <fieldset class="checks">
          <legend>Permissions</legend>
          {allScopes.map((scope) => (
            <label key={scope} class="check">
              <input
                type="checkbox"
                checked={scopes.value.includes(scope)}
                onChange={({ currentTarget: { checked } }) => {
                  scopes.value = allScopes.filter((one) =>
                    one === scope ? checked : scopes.peek().includes(one),
                  );
                }}
              />
              {scopeWords[scope]}
            </label>
          ))}
        </fieldset>
        {scopes.value.some((scope) => scope.endsWith(':write')) && (
          <p class="question">
            A program with this key can change and sell your animals. Keep it on a server, and never
            put it into a web page.
          </p>
        )}
        <Field label="Expires">
          {(attributes) => (
            <select
              {...attributes}
              value={days.value}
              onChange={(event) => {
                days.value = event.currentTarget.value;
              }}
            >
              <option value="">never</option>
              <option value="7">in a week</option>
              <option value="30">in 30 days</option>
              <option value="90">in 90 days</option>
              <option value="365">in a year</option>
            </select>
          )}
        </Field>
        <Fault
          message={
            showsFaults.value && scopes.value.length === 0
              ? 'A key must be allowed something.'
              : make.fault
          }
        />
        <FormFooter action={make} text="Create" />
      </Form>
    </Dialog>
  );
}

function RotateKey(props: {
  readonly apiKey: Key;
  readonly onMade: (key: CreatedKey) => void;
  readonly onClose: () => void;
}) {
  const overlapSeconds = useSignal('86400');
  const rotate = useAction(async () => {
    const body = { overlapSeconds: Number(overlapSeconds.peek()) };
    const parameters = { keyId: props.apiKey.id };
    props.onMade(await makeKey(callConsole('rotateKey', { parameters, body })));
  });
  return (
    <Dialog
      title={`Replace ${props.apiKey.name}`}
      onClose={props.onClose}
      isBusy={rotate.isRunning}
    >
      <Form action={rotate}>
        <p>A new key with the same rights takes its place.</p>
        <Field label="The old key ends">
          {(attributes) => (
            <select
              {...attributes}
              value={overlapSeconds.value}
              onChange={(event) => {
                overlapSeconds.value = event.currentTarget.value;
              }}
            >
              <option value="0">at once</option>
              <option value="3600">in an hour</option>
              <option value="86400">in a day</option>
              <option value="604800">in a week</option>
            </select>
          )}
        </Field>
        <Fault message={rotate.fault} />
        <FormFooter action={rotate} text="Replace" />
      </Form>
    </Dialog>
  );
}

function MadeKey({
  apiKey,
  onClose,
}: {
  readonly apiKey: CreatedKey;
  readonly onClose: () => void;
}) {
  const field = useRef<HTMLTextAreaElement>(null);
  const isCopied = useSignal(false);
  return (
    <Dialog title={`The key of ${apiKey.name}`} onClose={onClose} keepsOpen>
      <p>
        Copy it now and keep it safe: <strong>it is never shown again.</strong>
      </p>
      <Field label="Key">
        {(attributes) => (
          <textarea
            {...attributes}
            ref={field}
            class="secret"
            rows={2}
            readOnly
            value={apiKey.key}
            onFocus={(event) => event.currentTarget.select()}
          />
        )}
      </Field>
      <p role="status">{isCopied.value ? 'Copied.' : ''}</p>
      <footer>
        <Button
          onClick={() => {
            navigator.clipboard.writeText(apiKey.key).then(
              () => {
                isCopied.value = true;
              },
              () => field.current?.focus(),
            );
          }}
        >
          Copy
        </Button>
        <Button kind="main" onClick={onClose}>
          Done
        </Button>
      </footer>
    </Dialog>
  );
}
