import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useContext, useRef } from 'preact/hooks';
import { secretTexts as texts } from '../texts/keys.ts';
import { Button, Field } from './controls.tsx';
import { CloseDialog, Dialog } from './dialog.tsx';

/** A new secret, which is shown once. */
export function Secret(props: {
  readonly title: string;
  /** Such as `Key`. */
  readonly label: string;
  readonly secret: string;
  readonly children?: ComponentChildren;
}) {
  const { title, label, secret, children } = props;
  const close = useContext(CloseDialog);
  const field = useRef<HTMLTextAreaElement>(null);
  const isCopied = useSignal(false);
  return (
    <Dialog title={title} keepsOpen>
      <p>
        {texts.hint(label.toLowerCase())}
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
