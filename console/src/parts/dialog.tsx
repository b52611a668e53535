import { useSignal } from '@preact/signals';
import { type ComponentChildren, createContext, type JSX } from 'preact';
import { useContext, useEffect, useId, useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { stringify } from '../../../client/src/json.ts';
import { newIdempotencyKey } from '../api/service.ts';
import { guardUnload } from '../loading/ask-before-unload.ts';
import { keepDialog, keepForm, takeKeptDialog, takeKeptForm } from '../loading/kept-dialog.ts';
import { guardRoute } from '../route.ts';
import { common } from '../texts/common.ts';
import { useAction } from './action.ts';
import { Button, Fault, Form } from './controls.tsx';
import { focusFault, rememberFocus } from './focus.ts';
import { EndNotice } from './session-end.tsx';

const focusable =
  'form input:enabled, form select:enabled, footer .main:enabled, footer .plain:enabled';

/** Closes the dialog around a component. */
export const CloseDialog = createContext(() => {});

/**
 * The dialogs of a screen, of which one can be open. An action that began in one dialog never closes another. `place` tells equal
 * ones apart. `onClosed` runs after one was closed.
 */
export function useDialog<Arguments extends Record<string, unknown[]>>(
  dialogs: { readonly [Name in keyof Arguments]: (...of: Arguments[Name]) => JSX.Element },
  onClosed?: () => void,
  place = '',
) {
  type Name = keyof Arguments;
  const keptName = place + Object.keys(dialogs).join();
  const opened = useSignal(takeKeptDialog<{ name: Name; of: Arguments[Name] }>(keptName));
  useEffect(() => keepDialog(keptName, () => opened.peek()), []);
  const current = opened.value;
  function close(): void {
    if (opened.peek() === current) opened.value = undefined;
    onClosed?.();
  }
  return {
    dialog: current && (
      <CloseDialog.Provider value={close}>
        {dialogs[current.name](...current.of)}
      </CloseDialog.Provider>
    ),
    /** Closes the dialog that is open, for a page that shows something else now. */
    close: () => {
      opened.value = undefined;
    },
    open<Opened extends Name>(name: Opened, ...of: Arguments[Opened]): void {
      opened.value = { name, of };
    },
  };
}

/** Whether the dialog around a component may be left. If it has unsaved input, it asks first. */
const MayLeave = createContext<() => boolean>(() => true);

interface DialogProps {
  readonly title: string;
  readonly children: ComponentChildren;
  /** An action runs whose result this dialog shows. */
  readonly isBusy?: boolean;
  /** That action takes so long that the dialog can be closed. */
  readonly mayClose?: boolean;
  /** Something was typed: the first attempt to close, or to leave by Back, asks, as does the browser before it leaves the page. */
  readonly isDirty?: boolean | undefined;
  /** The content is never shown again, so that Escape does not close the dialog. */
  readonly keepsOpen?: boolean;
}

/** A modal dialog. The browser keeps the focus in it, and then gives it back. */
export function Dialog(props: DialogProps) {
  const { title, children, isBusy = false, mayClose = false, isDirty, keepsOpen } = props;
  const close = useContext(CloseDialog);
  const isHeld = isBusy && !mayClose;
  const hasAsked = useSignal(false);
  const element = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  // Before the first paint: keys that are typed at once go to the dialog.
  useLayoutEffect(() => {
    const returnFocus = rememberFocus();
    element.current?.showModal();
    // The same change may have removed the opener, such as a row that was deleted.
    return () => queueMicrotask(returnFocus);
  }, []);
  const wasBusy = useRef(false);
  useLayoutEffect(() => {
    // A control that was disabled during the action has lost the focus.
    if (wasBusy.current && !isBusy) element.current?.querySelector<HTMLElement>(focusable)?.focus();
    wasBusy.current = isBusy;
  }, [isBusy]);
  const losesInput = isDirty === true && !isBusy;
  /** Asks about unsaved input, once. */
  const ask = () => {
    if (hasAsked.peek()) return false;
    hasAsked.value = true;
    return true;
  };
  useLayoutEffect(() => {
    // What is never shown again also stays at Back.
    if (keepsOpen) return guardRoute(() => true);
    return losesInput ? guardRoute(ask) : undefined;
  }, [losesInput, keepsOpen]);
  // Also during the action, which may fail, and while a secret is shown for the only time.
  const holdsTab = isDirty === true || keepsOpen === true;
  useLayoutEffect(() => (holdsTab ? guardUnload() : undefined), [holdsTab]);
  const mayLeave = () => !isHeld && !(losesInput && ask());
  const requestClose = () => mayLeave() && close();
  return (
    <dialog
      ref={element}
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault();
        if (!keepsOpen) requestClose();
      }}
      onInput={() => {
        hasAsked.value = false;
      }}
      onClose={() => {
        // Browsers close a dialog at the second Escape, even if the first was prevented.
        if (isHeld || keepsOpen) element.current?.showModal();
        else close();
      }}
    >
      <header>
        <h2 id={titleId}>{title}</h2>
        <Button kind="quiet" label={common.close} onClick={requestClose} disabled={isHeld}>
          ×
        </Button>
      </header>
      <fieldset class="plain" disabled={isBusy}>
        <MayLeave.Provider value={mayLeave}>{children}</MayLeave.Provider>
      </fieldset>
      {hasAsked.value && (
        <p role="alert" class="question loss">
          {common.unsaved}
        </p>
      )}
      {isBusy && mayClose && (
        <p role="status" class="question">
          {common.mayClose}
        </p>
      )}
      <div class="notices">
        <EndNotice />
      </div>
    </dialog>
  );
}

type LeaveProps = Parameters<typeof Button>[0] & { readonly run: () => void };
/** A button that leaves the dialog, unless it asks about unsaved input first. */
function LeaveButton({ run, ...rest }: LeaveProps) {
  const mayLeave = useContext(MayLeave);
  return <Button {...rest} onClick={() => mayLeave() && run()} />;
}

export type Faults<Draft> = { readonly [Name in keyof Draft]?: string | undefined };

export type FormOf<Draft> = ReturnType<typeof useForm<Draft>>;

/** A form with its draft. After the first attempt to send it, it shows faults. `slow` is the message of a slow action. */
export function useForm<Draft>(
  initial: Draft,
  faultsOf: (draft: Draft) => Faults<Draft>,
  /** Sends a draft without faults. A retry has the same key, so that it does nothing twice. */
  send: (draft: Draft, idempotencyKey: string) => Promise<void>,
  slow?: string,
) {
  const kept = useMemo(() => takeKeptForm(initial), []);
  const draft = useSignal(kept?.draft ?? initial);
  const first = useMemo(() => stringify(initial), []);
  const showsFaults = useSignal(false);
  const idempotencyKey = useMemo(
    () => ({ current: kept?.idempotencyKey ?? newIdempotencyKey() }),
    [],
  );
  useEffect(
    () => keepForm(() => ({ draft: draft.peek(), idempotencyKey: idempotencyKey.current })),
    [],
  );
  /** What is sent next is not a retry. */
  const renewKey = () => {
    idempotencyKey.current = newIdempotencyKey();
  };
  const faults: Faults<Draft> = showsFaults.value ? faultsOf(draft.value) : {};
  const action = useAction(async () => {
    showsFaults.value = true;
    // What the service may have done is sent again as it is. A name can be taken by the record of this form.
    const found = action.mayBeDone ? [] : Object.values(faultsOf(draft.peek()));
    if (found.some((fault) => fault !== undefined)) focusFault();
    else await send(draft.peek(), idempotencyKey.current);
  }, slow);
  return {
    draft,
    action,
    faults,
    isDirty: stringify(draft.value) !== first,
    close: useContext(CloseDialog),
    renewKey,
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

interface FormDialogProps extends Pick<DialogProps, 'title' | 'children' | 'isDirty'> {
  readonly action: ReturnType<typeof useAction>;
  /** Undefined if nothing can be sent any more. */
  readonly submit: string | undefined;
  readonly submitting?: string;
  readonly kind?: 'main' | 'danger';
  /** The button that has the focus, if no field has it. */
  readonly focus?: 'cancel' | 'submit' | undefined;
  readonly fault?: string | undefined;
  /** The text of the button that only closes the dialog. */
  readonly cancel?: string | undefined;
  /** The result is shown once, so that the dialog stays open until then. */
  readonly mustWait?: boolean;
  /** Another way to send the fields. */
  readonly second?: { readonly text: string; readonly run: () => void } | undefined;
  /** What the dialog offers in place of its action. */
  readonly other?: { readonly text: string; readonly run: () => void } | undefined;
}

/** A dialog with fields and the button that sends them. While the service may have done this, the fields stay as they were sent. */
export function FormDialog(props: FormDialogProps) {
  const { title, action, submit, submitting = submit, mustWait = false, other } = props;
  const close = useContext(CloseDialog);
  return (
    <Dialog
      title={title}
      isBusy={action.isRunning}
      isDirty={props.isDirty}
      mayClose={action.isSlow && !mustWait}
    >
      <Form action={action}>
        <fieldset class="plain" disabled={action.mayBeDone}>
          {props.children}
        </fieldset>
        <Fault message={props.fault ?? action.fault} />
        {action.mayBeDone && <p class="hint">{common.unanswered}</p>}
        <footer>
          {other !== undefined && (
            <LeaveButton kind="quiet" class="button quiet first" run={other.run}>
              {other.text}
            </LeaveButton>
          )}
          <LeaveButton autofocus={props.focus === 'cancel'} run={close}>
            {props.cancel ?? common.cancel}
          </LeaveButton>
          {props.second !== undefined && (
            <Button onClick={props.second.run}>{props.second.text}</Button>
          )}
          {submit !== undefined && (
            <Button kind={props.kind ?? 'main'} type="submit" autofocus={props.focus === 'submit'}>
              {action.isRunning ? submitting : submit}
            </Button>
          )}
        </footer>
      </Form>
    </Dialog>
  );
}

/** A question before a change. The button that cannot be undone does not have the focus. */
export function Confirm(props: {
  readonly title: string;
  readonly hint: string;
  readonly children?: ComponentChildren;
  readonly yes: string;
  readonly no?: string;
  readonly kind?: 'main' | 'danger';
  /** A retry has the same key, so that it does nothing twice. */
  readonly act: (idempotencyKey: string) => Promise<void>;
}) {
  const { title, hint, children, yes, no, kind = 'danger', act } = props;
  const close = useContext(CloseDialog);
  const idempotencyKey = useMemo(newIdempotencyKey, []);
  const action = useAction(async () => {
    await act(idempotencyKey);
    close();
  });
  const focus = kind === 'danger' ? 'cancel' : 'submit';
  return (
    <FormDialog {...{ title, action, kind, focus }} submit={yes} cancel={no}>
      {children}
      <p>{hint}</p>
    </FormDialog>
  );
}
