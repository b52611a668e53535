import { useSignal } from '@preact/signals';
import { type ComponentChildren, createContext, type JSX } from 'preact';
import { useContext, useId, useLayoutEffect, useRef } from 'preact/hooks';
import { EndNotice } from '../session/end-notice.tsx';
import { common } from '../texts/common.ts';
import { Button } from './controls.tsx';

const focusable =
  'form input:enabled, form select:enabled, footer .main:enabled, footer .plain:enabled';

/** Closes the dialog around a component. */
export const DialogCloser = createContext(() => {});

/**
 * The dialogs of a screen, of which one can be open. An action that began in one dialog never closes another. `onClosed` runs after
 * one was closed.
 */
export function useDialog<Arguments extends Record<string, unknown[]>>(
  dialogs: { readonly [Name in keyof Arguments]: (...of: Arguments[Name]) => JSX.Element },
  onClosed?: () => void,
) {
  const opened = useSignal<Opened<Arguments> | undefined>(undefined);
  const current = opened.value;
  function close(): void {
    if (opened.peek() === current) opened.value = undefined;
    onClosed?.();
  }
  return {
    dialog: current && (
      <DialogCloser.Provider value={close}>
        {dialogs[current.name](...current.of)}
      </DialogCloser.Provider>
    ),
    open<Name extends keyof Arguments>(name: Name, ...of: Arguments[Name]): void {
      opened.value = { name, of };
    },
  };
}

interface Opened<Arguments> {
  readonly name: keyof Arguments;
  readonly of: Arguments[keyof Arguments];
}

/** Leaves the dialog around a component. */
const Leaving = createContext(() => {});

interface DialogProps {
  readonly title: string;
  readonly children: ComponentChildren;
  /** An action runs whose result this dialog shows. */
  readonly isBusy?: boolean;
  /** That action takes so long that the dialog can be closed. */
  readonly mayLeave?: boolean;
  /** Something was typed: the first attempt to close asks. */
  readonly isDirty?: boolean;
  /** The content is never shown again, so that Escape does not close the dialog. */
  readonly keepsOpen?: boolean;
}

/** A modal dialog. The browser keeps the focus in it, and then gives it back. */
export function Dialog({ title, children, ...rest }: DialogProps) {
  const { isBusy = false, mayLeave = false, keepsOpen = false, isDirty = false } = rest;
  const close = useContext(DialogCloser);
  const isHeld = isBusy && !mayLeave;
  const hasAsked = useSignal(false);
  const element = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  // Before the first paint: keys that are typed at once belong into the dialog.
  useLayoutEffect(() => {
    const opener = document.activeElement;
    element.current?.showModal();
    return () => {
      // The same change may have removed the opener, such as a row that was deleted.
      queueMicrotask(() => {
        const mayFocus = opener instanceof HTMLElement && opener.isConnected;
        if (mayFocus && !opener.matches(':disabled')) opener.focus();
        else document.querySelector<HTMLElement>('main h1')?.focus();
      });
    };
  }, []);
  const wasBusy = useRef(false);
  useLayoutEffect(() => {
    // A control that was disabled during the action has lost the focus.
    if (wasBusy.current && !isBusy) element.current?.querySelector<HTMLElement>(focusable)?.focus();
    wasBusy.current = isBusy;
  }, [isBusy]);
  const leave = () => {
    if (isHeld) return;
    if (isDirty && !isBusy && !hasAsked.peek()) hasAsked.value = true;
    else close();
  };
  return (
    <dialog
      ref={element}
      aria-labelledby={titleId}
      onKeyDown={(event) => {
        // Enter that is still held since the dialog opened does not answer its question.
        const isButton = event.target instanceof HTMLButtonElement;
        if (event.repeat && event.key === 'Enter' && isButton) event.preventDefault();
      }}
      onCancel={(event) => {
        event.preventDefault();
        if (!keepsOpen) leave();
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
        <Button kind="quiet" label={common.close} onClick={leave} disabled={isHeld}>
          {common.closeSign}
        </Button>
      </header>
      <fieldset class="plain" disabled={isBusy}>
        <Leaving.Provider value={leave}>{children}</Leaving.Provider>
      </fieldset>
      {hasAsked.value && (
        <p role="alert" class="question">
          {common.unsaved}
        </p>
      )}
      {isBusy && mayLeave && (
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

/** Leaves the dialog, as the cross in its corner does. */
export function GoBack({ disabled = false, autofocus = false }) {
  const leave = useContext(Leaving);
  return (
    <Button onClick={leave} disabled={disabled} autofocus={autofocus}>
      {common.goBack}
    </Button>
  );
}
