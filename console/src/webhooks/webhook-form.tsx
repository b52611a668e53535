import { useMemo } from 'preact/hooks';
import type {
  NewWebhook,
  Webhook,
  WebhookPatch,
  WebhookSecret,
} from '../../../client/src/contract.ts';
import { stringify } from '../../../client/src/json.ts';
import { eventKinds } from '../../../src/domain/event.ts';
import { webhookDescriptionLengthMax, webhookUrlLengthMax } from '../../../src/domain/webhook.ts';
import { useApi } from '../api/session.ts';
import { CheckList, TextField } from '../parts/controls.tsx';
import { FormDialog, useForm } from '../parts/dialog.tsx';
import { showNotice } from '../parts/notices.tsx';
import { common } from '../texts/common.ts';
import { texts } from '../texts/webhooks.ts';
import { describeType } from './describe.ts';

/** The types that a form offers: all of a kind. */
const patterns = Object.keys(eventKinds).map((kind) => `${kind}.*`);

interface Draft {
  readonly url: string;
  readonly types: readonly string[];
  readonly description: string;
}

/** The members that differ. The service checks each URL that it gets, and an old one may be refused at the moment. */
function changesOf(initial: Draft, draft: Draft): WebhookPatch {
  const wanted = {
    ...draft,
    url: draft.url.trim(),
    types: draft.types.length === 0 ? null : draft.types,
    description: draft.description.trim() || null,
  };
  const names = (['url', 'types', 'description'] as const).filter(
    (name) => stringify(draft[name]) !== stringify(initial[name]),
  );
  return Object.fromEntries(names.map((name) => [name, wanted[name]]));
}

/** Adds a webhook, or changes one. */
export function WebhookForm(props: {
  readonly webhook?: Webhook;
  readonly onCreated: (url: string, created: WebhookSecret) => void;
}) {
  const { webhook, onCreated } = props;
  const initial = useMemo(() => {
    const { url = '', types = [], description = '' } = webhook ?? {};
    return { url, types, description };
  }, []);
  const { webhooks } = useApi();
  const form = useForm<Draft>(
    initial,
    ({ url }) => ({ url: /^https?:\/\/./i.test(url.trim()) ? undefined : texts.urlFault }),
    async (draft, idempotencyKey): Promise<void> => {
      const changes = changesOf(initial, draft);
      if (webhook === undefined) {
        // Without earlier values, no member is removed.
        const created = await webhooks.create(changes as NewWebhook, { idempotencyKey });
        form.close();
        return onCreated(created.url, created);
      }
      if (Object.keys(changes).length > 0) {
        await webhooks.update(webhook.id, changes, { idempotencyKey });
        showNotice(common.saved(texts.title(webhook.id)));
      }
      form.close();
    },
  );
  return (
    <FormDialog
      title={webhook === undefined ? texts.add : texts.title(webhook.id)}
      action={form.action}
      submit={webhook === undefined ? texts.addSubmit : common.save}
      isDirty={form.isDirty}
      mustWait={webhook === undefined}
    >
      <TextField
        label={texts.url}
        {...form.field('url')}
        hint={texts.urlHint}
        maxLength={webhookUrlLengthMax}
        autofocus
        required
      />
      <CheckList
        label={texts.types}
        hint={texts.typesHint}
        // A webhook can have single types.
        options={[...new Set([...patterns, ...initial.types])].map((type) => [
          type,
          describeType(type),
        ])}
        chosen={form.draft.value.types}
        onChoose={form.field('types').onInput}
      />
      <TextField
        label={texts.description}
        {...form.field('description')}
        rows={2}
        maxLength={webhookDescriptionLengthMax}
      />
    </FormDialog>
  );
}
