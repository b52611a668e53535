import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useContext, useRef } from 'preact/hooks';
import { texts as keyTexts, secretTexts as texts } from '../texts/keys.ts';
import { Button, Field, SelectField } from './controls.tsx';
import { CloseDialog, Dialog, FormDialog, useForm } from './dialog.tsx';

/** Replaces a secret, whose old one expires when the user chooses. */
export function ReplaceSecret(props: {
  readonly title: string;
  readonly hint: string;
  /** Asks when the old one expires. */
  readonly label: string;
  readonly replace: (overlapSeconds: number, idempotencyKey: string) => Promise<void>;
}) {
  const { title, hint, label, replace } = props;
  const form = useForm(
    { overlap: '86400' },
    () => ({}),
    async ({ overlap }, idempotencyKey) => {
      await replace(Number(overlap), idempotencyKey);
      form.close();
    },
  );
  return (
    <FormDialog
      title={title}
      action={form.action}
      submit={keyTexts.replace}
      isDirty={form.isDirty}
      mustWait
    >
      <p>{hint}</p>
      <SelectField
        label={label}
        value={form.draft.value.overlap}
        options={Object.entries(keyTexts.overlaps)}
        onSelect={form.field('overlap').onInput}
      />
    </FormDialog>
  );
}

/** A new secret, which is shown once. */
export function Secret(props: {
  readonly title: string;
  /** Such as `Key`. */
  readonly label: string;
  readonly hint: string;
  readonly secret: string;
  readonly children?: ComponentChildren;
}) {
  const { title, label, hint, secret, children } = props;
  const close = useContext(CloseDialog);
  const field = useRef<HTMLTextAreaElement>(null);
  const isCopied = useSignal(false);
  return (
    <Dialog title={title} keepsOpen>
      <p>
        {hint}
        <strong>{texts.once}</strong>
      </p>
      {children}
      <Field label={label}>
        {(attributes) => (
          <textarea
            {...attributes}
            ref={field}
            class="secret"
            rows={2}
            readOnly
            value={secret}
            onFocus={(event) => event.currentTarget.select()}
          />
        )}
      </Field>
      <p role="status">{isCopied.value ? texts.copied : ''}</p>
      <footer>
        <Button
          onClick={() => {
            navigator.clipboard.writeText(secret).then(
              () => {
                isCopied.value = true;
              },
              () => field.current?.focus(),
            );
          }}
        >
          {texts.copy}
        </Button>
        <Button kind="main" onClick={close}>
          {texts.done}
        </Button>
      </footer>
    </Dialog>
  );
}
