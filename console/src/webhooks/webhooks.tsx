import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { Webhook, WebhookSecret } from '../../../client/src/contract.ts';
import { webhooksMaxOfWorkspace } from '../../../src/domain/webhook.ts';
import { connection, listen } from '../api/announce.ts';
import { currentApi, hasScope } from '../api/session.ts';
import { useUnmounted } from '../parts/action.ts';
import { Button } from '../parts/controls.tsx';
import { useDialog } from '../parts/dialog.tsx';
import { Empty, formatTime, Status } from '../parts/display.tsx';
import { Item } from '../parts/items.tsx';
import { showFailure } from '../parts/notices.tsx';
import { PageList, usePages } from '../parts/page-list.tsx';
import { Secret } from '../parts/secret.tsx';
import { addressOf, route } from '../route.ts';
import { frame } from '../texts/common.ts';
import { shortName } from '../texts/short-name.ts';
import { rotationTexts, statusTexts, texts } from '../texts/webhooks.ts';
import { describePosition, describeTypes } from './describe.ts';
import { TestWebhook } from './test-webhook.tsx';
import { DeleteWebhook, RotateSecret, SetPosition, SetStatus } from './webhook-dialogs.tsx';
import { WebhookForm } from './webhook-form.tsx';
import { WebhookPage } from './webhook-page.tsx';

/** So many milliseconds after an event, most webhooks have sent it. */
const deliveryMilliseconds = 1000;

/** The webhooks of the workspace, or the page of one of them. */
export function Webhooks() {
  const { record, recordId } = route.value;
  const head = useSignal<bigint | undefined>(undefined);
  const pages = usePages(['webhooks'], async () => {
    const [newest, rows] = await Promise.all([
      findHead(),
      currentApi().webhooks.list().toArray({ max: webhooksMaxOfWorkspace }),
    ]);
    head.value = newest;
    return { rows, next: null };
  });
  useEffect(() => loadAfterEvents(pages.load), []);
  const { dialog, open } = useWebhookDialogs(head.value, pages.load);
  const isList = record === undefined;
  const add = (
    <Button kind="main" onClick={() => open('add')}>
      {texts.add}
    </Button>
  );
  return (
    <>
      <div class="toolbar">
        {isList ? (
          <p>{texts.hint}</p>
        ) : (
          <a class="button plain" href={addressOf('webhooks')}>
            {texts.all}
          </a>
        )}
        <div class="actions">
          {/* Without events, the header has this button. */}
          {connection.value !== 'off' && <Button onClick={pages.load}>{frame.reload}</Button>}
          {isList && (pages.page?.rows.length ?? 0) > 0 && add}
        </div>
      </div>
      <PageList
        pages={pages}
        label={frame.titles.webhooks}
        class={isList ? 'items' : 'sheet record'}
        readFailed={texts.readFailed}
        none={
          <Empty title={texts.none}>
            <p>{texts.noneHint}</p>
            {add}
          </Empty>
        }
      >
        {(webhooks) => {
          if (isList) {
            return (
              <ul>
                {webhooks.map((webhook) => (
                  <WebhookItem key={String(webhook.id)} webhook={webhook} head={head.value} />
                ))}
              </ul>
            );
          }
          const webhook = webhooks.find(({ id }) => id === recordId);
          if (webhook === undefined) return <p>{texts.missing(shortName(record))}</p>;
          return <WebhookPage key={record} webhook={webhook} head={head.value} onOpen={open} />;
        }}
      </PageList>
      {dialog}
    </>
  );
}

/** The dialogs of the list and of the page. They stay open if the list cannot be read again. */
function useWebhookDialogs(head: bigint | undefined, onClosed: () => void) {
  const unmounted = useUnmounted();
  const showSecret = (url: string, answer: WebhookSecret): void => {
    // The service sends a secret once. If that answer is lost, the repeated one has none.
    if (answer.secret === undefined) showFailure(texts.secretLost(url));
    else if (unmounted.aborted) showFailure(texts.secretNotShown(url));
    else open('secret', url, answer.secret, answer.previousSecretExpiresAt);
  };
  const { dialog, open } = useDialog(
    {
      add: () => <WebhookForm onCreated={showSecret} />,
      edit: (webhook: Webhook) => <WebhookForm webhook={webhook} onCreated={showSecret} />,
      test: (webhook: Webhook) => <TestWebhook webhook={webhook} />,
      status: (webhook: Webhook) => <SetStatus webhook={webhook} />,
      position: (webhook: Webhook) => <SetPosition webhook={webhook} head={head} />,
      rotate: (webhook: Webhook) => <RotateSecret webhook={webhook} onRotated={showSecret} />,
      delete: (webhook: Webhook) => <DeleteWebhook webhook={webhook} />,
      secret: (url: string, secret: string, previousUntil: string | undefined) => (
        <Secret
          title={texts.secretOf(url)}
          label={texts.secret}
          hint={texts.copySecret}
          secret={secret}
        >
          <p>
            {previousUntil === undefined
              ? texts.secretUse
              : rotationTexts.validUntil(formatTime(previousUntil, 'short'))}
          </p>
        </Secret>
      ),
    },
    onClosed,
  );
  return { dialog, open };
}

/** The newest event, which shows how far behind a webhook is. Undefined if it is unknown. */
async function findHead(): Promise<bigint | undefined> {
  if (!hasScope('events:read')) return undefined;
  return currentApi()
    .events.list({ after: 'now', limit: 1 })
    .then(
      ({ position }) => position,
      () => undefined,
    );
}

/** Loads again soon after events, not after each of many, because events move the webhooks. */
function loadAfterEvents(load: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const stopListening = listen((update) => {
    if (update === 'reset') load();
    else
      timer ??= setTimeout(() => {
        timer = undefined;
        load();
      }, deliveryMilliseconds);
  });
  return () => {
    stopListening();
    clearTimeout(timer);
  };
}

function WebhookItem(props: { readonly webhook: Webhook; readonly head: bigint | undefined }) {
  const { webhook, head } = props;
  const { id, url, status, types, position, description } = webhook;
  return (
    <Item
      name={url}
      address={addressOf('webhooks', {}, id)}
      status={<Status status={status} />}
      about={status !== 'enabled' && statusTexts[status]}
      facts={[
        describeTypes(types),
        describePosition(position, head),
        description && shortName(description),
      ]}
    />
  );
}
