import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';
import { randomHex } from '../../../client/src/json.ts';
import { useAction } from './action.ts';
import { Button, Fault, Form } from './controls.tsx';
import { Dialog, GoBack } from './dialog.tsx';

interface FormOptions<Draft, Faults> {
  readonly initial: Draft;
  readonly faultsOf: (draft: Draft) => Faults;
  /** Sends a draft without faults. A retry has the same key, so that it does nothing twice. */
  readonly send: (draft: Draft, idempotencyKey: string) => Promise<void>;
  /** The message of a slow action. */
  readonly slow?: string;
}

/** A form with its draft, which shows faults from the first attempt to send on. */
export function useForm<Draft, Faults extends Readonly<Record<string, string | undefined>>>(
  options: FormOptions<Draft, Faults>,
) {
  const draft = useSignal(options.initial);
  const showsFaults = useSignal(false);
  const idempotencyKey = useMemo(() => {
    const make = () => `console-${randomHex()}`;
    let current = make();
    return {
      read: () => current,
      renew() {
        current = make();
      },
    };
  }, []);
  const action = useAction(async () => {
    showsFaults.value = true;
    const faults = Object.values(options.faultsOf(draft.peek()));
    if (faults.some((fault) => fault !== undefined)) focusFault();
    else await options.send(draft.peek(), idempotencyKey.read());
  }, options.slow);
  return {
    draft,
    action,
    idempotencyKey,
    faults: showsFaults.value ? options.faultsOf(draft.value) : undefined,
    /** Another draft is another request, with another key. */
    change(next: Draft): void {
      draft.value = next;
      idempotencyKey.renew();
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
          <GoBack disabled={action.isRunning} />
          <Button kind="main" type="submit" disabled={action.isRunning}>
            {action.isRunning ? submitting : submit}
          </Button>
        </footer>
      </Form>
    </Dialog>
  );
}
