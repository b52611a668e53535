import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useContext, useMemo } from 'preact/hooks';
import { randomHex } from '../../../client/src/json.ts';
import { useAction } from './action.ts';
import { Button, Fault, Form } from './controls.tsx';
import { Dialog, DialogCloser, GoBack } from './dialog.tsx';

/** Another key is another request. */
const newIdempotencyKey = () => `console-${randomHex()}`;

type Faults<Draft> = { readonly [Name in keyof Draft]?: string | undefined };

export type FormOf<Draft> = ReturnType<typeof useForm<Draft>>;

/** A form with its draft, which shows faults from the first attempt to send on. `slow` is the message of a slow action. */
export function useForm<Draft>(
  initial: Draft,
  faultsOf: (draft: Draft) => Faults<Draft>,
  /** Sends a draft without faults. A retry has the same key, so that it does nothing twice. */
  send: (draft: Draft, idempotencyKey: string) => Promise<void>,
  slow?: string,
) {
  const draft = useSignal(initial);
  const showsFaults = useSignal(false);
  const idempotencyKey = useMemo(() => ({ current: newIdempotencyKey() }), []);
  const faults: Faults<Draft> = showsFaults.value ? faultsOf(draft.value) : {};
  const action = useAction(async () => {
    showsFaults.value = true;
    const found = Object.values(faultsOf(draft.peek()));
    if (found.some((fault) => fault !== undefined)) focusFault();
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
    faults,
    /** The value of a field, and what changes it. */
    field<Name extends keyof Draft>(name: Name) {
      return {
        value: draft.value[name],
        fault: faults[name],
        onInput(value: Draft[Name]): void {
          draft.value = { ...draft.value, [name]: value };
          renewKey();
        },
      };
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
  readonly children: ComponentChildren;
}) {
  const { title, action, submit, submitting = submit, mustWait = false } = props;
  return (
    <Dialog
      title={title}
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
  readonly hint: string;
  readonly yes: string;
  readonly kind?: 'main' | 'danger';
  readonly act: () => Promise<void>;
}) {
  const { title, hint, yes, kind = 'danger', act } = props;
  const close = useContext(DialogCloser);
  const action = useAction(async () => {
    await act();
    close();
  });
  const focus = kind === 'danger' ? 'go-back' : 'submit';
  return (
    <FormDialog {...{ title, action, kind, focus }} submit={yes}>
      <p>{hint}</p>
    </FormDialog>
  );
}
