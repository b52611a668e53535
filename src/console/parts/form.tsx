import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';
import { randomHex } from '../../../client/src/json.ts';
import { useAction } from './action.ts';
import { Button, Fault, Form } from './controls.tsx';
import { Dialog, GoBack } from './dialog.tsx';

/** Another key is another request. */
const newIdempotencyKey = () => `console-${randomHex()}`;

/** A form with its draft, which shows faults from the first attempt to send on. `slow` is the message of a slow action. */
export function useForm<Draft, Faults extends Readonly<Record<string, string | undefined>>>(
  initial: Draft,
  faultsOf: (draft: Draft) => Faults,
  /** Sends a draft without faults. A retry has the same key, so that it does nothing twice. */
  send: (draft: Draft, idempotencyKey: string) => Promise<void>,
  slow?: string,
) {
  const draft = useSignal(initial);
  const showsFaults = useSignal(false);
  const idempotencyKey = useMemo(() => ({ current: newIdempotencyKey() }), []);
  const action = useAction(async () => {
    showsFaults.value = true;
    const faults = Object.values(faultsOf(draft.peek()));
    if (faults.some((fault) => fault !== undefined)) focusFault();
    else await send(draft.peek(), idempotencyKey.current);
  }, slow);
  function renewKey(): void {
    idempotencyKey.current = newIdempotencyKey();
  }
  return {
    draft,
    action,
    idempotencyKey,
    renewKey,
    faults: showsFaults.value ? faultsOf(draft.value) : undefined,
    change(next: Draft): void {
      draft.value = next;
      renewKey();
    },
  };
}

/** Focuses the first field with a fault, once it is shown. */
function focusFault(): void {
  setTimeout(() => document.querySelector<HTMLElement>('dialog [aria-invalid=true]')?.focus());
}

/** A dialog with fields and the button that sends them. */
export function FormDialog(props: {
  readonly title: string;
  readonly action: ReturnType<typeof useAction>;
  readonly submit: string;
  readonly submitting?: string;
  readonly kind?: 'main' | 'danger';
  /** The button that has the focus, if no field has it. */
  readonly focus?: 'go-back' | 'submit';
  readonly fault?: string | undefined;
  readonly isDirty?: boolean;
  /** The result is shown once, so that the dialog stays open until then. */
  readonly mustWait?: boolean;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}) {
  const { title, action, submit, submitting = submit, mustWait = false, onClose } = props;
  return (
    <Dialog
      title={title}
      onClose={onClose}
      isBusy={action.isRunning}
      isDirty={props.isDirty ?? false}
      mayLeave={action.isSlow && !mustWait}
    >
      <Form action={action}>
        {props.children}
        <Fault message={props.fault ?? action.fault} />
        <footer>
          <GoBack disabled={action.isRunning} autofocus={props.focus === 'go-back'} />
          <Button
            kind={props.kind ?? 'main'}
            type="submit"
            disabled={action.isRunning}
            autofocus={props.focus === 'submit'}
          >
            {action.isRunning ? submitting : submit}
          </Button>
        </footer>
      </Form>
    </Dialog>
  );
}

/** A question before a change. The button that cannot be undone does not have the focus. */
export function Confirm(props: {
  readonly title: string;
  readonly children: ComponentChildren;
  readonly yes: string;
  readonly kind?: 'main' | 'danger';
  readonly act: () => Promise<void>;
  readonly onClose: () => void;
}) {
  const { title, children, yes, kind = 'danger', act, onClose } = props;
  const action = useAction(async () => {
    await act();
    onClose();
  });
  const focus = kind === 'danger' ? 'go-back' : 'submit';
  return (
    <FormDialog {...{ title, action, kind, focus, onClose }} submit={yes}>
      <p>{children}</p>
    </FormDialog>
  );
}
