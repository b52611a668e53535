import type { Webhook, WebhookSecret } from '../../../client/src/contract.ts';
import { parseInteger } from '../api/integer.ts';
import { currentApi, useApi } from '../api/session.ts';
import { RadioField, TextField } from '../parts/controls.tsx';
import { Confirm, FormDialog, useForm } from '../parts/dialog.tsx';
import { showNotice } from '../parts/notices.tsx';
import { ReplaceSecret } from '../parts/secret.tsx';
import { go } from '../route.ts';
import { common } from '../texts/common.ts';
import { shortName } from '../texts/short-name.ts';
import {
  deletionTexts,
  pauseTexts,
  positionTexts,
  resumeTexts,
  rotationTexts,
  texts,
} from '../texts/webhooks.ts';

interface WebhookProps {
  readonly webhook: Webhook;
}

/** Whether the server sends events, or tries to. */
export function isActive({ status }: Webhook): boolean {
  return status !== 'paused' && status !== 'disabled';
}

/** Pauses a webhook, or resumes it. */
export function SetStatus({ webhook }: WebhookProps) {
  const { id, url } = webhook;
  const pauses = isActive(webhook);
  const { question, hint, action, done } = pauses ? pauseTexts : resumeTexts;
  return (
    <Confirm
      title={question(url)}
      hint={hint}
      yes={action}
      kind="main"
      act={async () => {
        await currentApi().webhooks.update(id, { status: pauses ? 'paused' : 'enabled' });
        showNotice(done(texts.title(id)));
      }}
    />
  );
}

/** Sends events again, or skips some. */
export function SetPosition(props: WebhookProps & { readonly head: bigint | undefined }) {
  const { webhook, head } = props;
  const { id, url } = webhook;
  const { webhooks } = useApi();
  const readPosition = (number: string): bigint | undefined => {
    const position = parseInteger(number);
    const isPossible = position !== undefined && position >= 0n && position <= (head ?? position);
    return isPossible ? position : undefined;
  };
  const form = useForm(
    { from: 'after', number: String(webhook.position) },
    ({ from, number }) => ({
      number:
        from === 'now' || readPosition(number) !== undefined
          ? undefined
          : positionTexts.fault(head),
    }),
    async ({ from, number }, idempotencyKey) => {
      const position = from === 'now' ? 'now' : readPosition(number);
      const changed = await webhooks.update(id, { position }, { idempotencyKey });
      showNotice(positionTexts.done(texts.title(id), changed.position));
      form.close();
    },
  );
  const { from } = form.draft.value;
  return (
    <FormDialog
      title={common.actionOn(positionTexts.action, shortName(url))}
      action={form.action}
      submit={common.save}
      isDirty={form.isDirty}
    >
      <RadioField
        label={positionTexts.label}
        value={from}
        options={Object.entries(positionTexts.options)}
        onSelect={form.field('from').onInput}
      />
      {from === 'after' && (
        <TextField
          label={positionTexts.number}
          {...form.field('number')}
          hint={positionTexts.hint}
          isNumber
        />
      )}
    </FormDialog>
  );
}

export function RotateSecret(
  props: WebhookProps & {
    readonly onRotated: (url: string, rotated: WebhookSecret) => void;
  },
) {
  const { id, url } = props.webhook;
  const { webhooks } = useApi();
  return (
    <ReplaceSecret
      title={common.actionOn(rotationTexts.action, shortName(url))}
      hint={rotationTexts.hint}
      label={rotationTexts.overlap}
      replace={async (overlapSeconds, idempotencyKey) => {
        const rotation = { overlapSeconds };
        props.onRotated(url, await webhooks.rotateSecret(id, rotation, { idempotencyKey }));
      }}
    />
  );
}

export function DeleteWebhook({ webhook: { id, url } }: WebhookProps) {
  return (
    <Confirm
      title={deletionTexts.question(url)}
      hint={deletionTexts.hint}
      yes={common.delete}
      act={async () => {
        await currentApi().webhooks.delete(id);
        showNotice(common.deleted(texts.title(id)));
        go('webhooks', {}, 'replaceState');
      }}
    />
  );
}
