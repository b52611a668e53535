import { useEffect, useRef } from 'preact/hooks';
import type { Delivery, Webhook } from '../../../client/src/contract.ts';
import { currentApi } from '../api/session.ts';
import { PageActions } from '../parts/actions.tsx';
import { formatTime, Status } from '../parts/display.tsx';
import { PageList, usePages } from '../parts/page-list.tsx';
import { useRecordTitle } from '../parts/record-title.ts';
import { common } from '../texts/common.ts';
import {
  deliveryTexts,
  pauseTexts,
  positionTexts,
  resumeTexts,
  rotationTexts,
  statusTexts,
  testTexts,
  texts,
} from '../texts/webhooks.ts';
import { Attempt } from './attempt.tsx';
import { describePosition, describeTypes } from './describe.ts';
import { isActive } from './webhook-dialogs.tsx';

interface WebhookPageProps {
  readonly webhook: Webhook;
  readonly head: bigint | undefined;
  readonly onOpen: (
    dialog: 'test' | 'status' | 'position' | 'rotate' | 'edit' | 'delete',
    webhook: Webhook,
  ) => void;
}

/** A webhook, what can be done with it, and what was sent. */
export function WebhookPage({ webhook, head, onOpen }: WebhookPageProps) {
  const title = texts.title(webhook.id);
  useRecordTitle(title);
  const actions = [
    { text: testTexts.action, run: () => onOpen('test', webhook) },
    {
      text: (isActive(webhook) ? pauseTexts : resumeTexts).action,
      run: () => onOpen('status', webhook),
    },
    { text: positionTexts.action, run: () => onOpen('position', webhook) },
    { text: rotationTexts.action, run: () => onOpen('rotate', webhook) },
    { text: common.edit, is: 'edit' as const, run: () => onOpen('edit', webhook) },
    { text: common.deleteWithQuestion, run: () => onOpen('delete', webhook) },
  ];
  return (
    <>
      <div class="actions">
        <PageActions of={title} actions={actions} />
      </div>
      <Details webhook={webhook} head={head} />
      <Deliveries webhook={webhook} />
    </>
  );
}

function Details({ webhook, head }: Omit<WebhookPageProps, 'onOpen'>) {
  const { url, types, description, status, position, createdAt } = webhook;
  const facts = [
    [texts.url, <bdi key="url">{url}</bdi>],
    [
      common.status,
      <>
        <Status status={status} />
        <p>{statusTexts[status]}</p>
      </>,
    ],
    [texts.types, describeTypes(types)],
    [
      texts.position,
      [...new Set([texts.after(position), describePosition(position, head)])].join(': '),
    ],
    [texts.description, description],
    [texts.added, formatTime(createdAt, 'short')],
  ] as const;
  return (
    <dl>
      {facts.map(
        ([name, fact]) =>
          fact !== undefined && (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{fact}</dd>
            </div>
          ),
      )}
    </dl>
  );
}

/** What was sent, newest first. It is read again with the webhook. */
function Deliveries({ webhook }: { readonly webhook: Webhook }) {
  const key = ['deliveries', String(webhook.id)];
  const pages = usePages<Delivery, string>(key, async (from, signal) => {
    const { webhooks } = currentApi();
    const read = webhooks.deliveries(webhook.id, {}, { signal }).pages({ from });
    for await (const { items, next = null } of read) return { rows: items, next };
    return { rows: [], next: null };
  });
  const isFirst = useRef(true);
  useEffect(() => {
    if (!isFirst.current) pages.load();
    isFirst.current = false;
  }, [webhook]);
  return (
    <section>
      <h2>{deliveryTexts.title}</h2>
      <PageList
        pages={pages}
        label={deliveryTexts.title}
        class=""
        readFailed={deliveryTexts.readFailed}
      >
        {(deliveries) =>
          deliveries.length === 0 ? (
            <p>{deliveryTexts.none}</p>
          ) : (
            <ol class="changes">
              {deliveries.map((delivery) => (
                <DeliveryItem key={String(delivery.id)} delivery={delivery} />
              ))}
            </ol>
          )
        }
      </PageList>
    </section>
  );
}

function DeliveryItem({ delivery }: { readonly delivery: Delivery }) {
  const { at, eventId, attempt } = delivery;
  return (
    <li>
      <time dateTime={at}>{formatTime(at, 'medium')}</time>
      <span class="actor">
        {deliveryTexts.attempt(attempt)} <small>{eventId}</small>
      </span>
      <div>
        <Attempt attempt={delivery} />
      </div>
    </li>
  );
}
