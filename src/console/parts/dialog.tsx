import { useSignal } from '@preact/signals';
import { type ComponentChildren, createContext } from 'preact';
import { useContext, useId, useLayoutEffect, useRef } from 'preact/hooks';
import { EndNotice } from '../session/end-notice.tsx';
import { useAction } from './action.ts';
import { Button, Fault } from './parts.tsx';

// Windows over the page.

const focusable =
  'form input:enabled, form select:enabled, footer .main:enabled, footer .plain:enabled';

/** The window that a screen shows, if any. What was begun in one never closes another. */
export function useWindow<Window>() {
  const current = useSignal<Window | undefined>(undefined);
  const opened = current.value;
  return {
    opened,
    open(next: Window): void {
      current.value = next;
    },
    close(): void {
      if (current.peek() === opened) current.value = undefined;
    },
  };
}

/** Leaves the window that it stands in. */
const Leaving = createContext(() => {});

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
  /** Where leaving would lose sight of what is under way. */
  readonly isBusy?: boolean;
  /** Where that takes so long that nobody is kept any more. */
  readonly mayLeave?: boolean;
  /** Where something was typed: it is not thrown away at the first attempt. */
  readonly isDirty?: boolean;
  /** Where what it shows is never shown again: Escape is pressed too easily. */
  readonly keepsOpen?: boolean;
}

/** A window over the page. The browser keeps the focus in it, and gives it back. */
export function Dialog({ title, onClose, children, ...rest }: DialogProps) {
  const { isBusy = false, mayLeave = false, keepsOpen = false, isDirty = false } = rest;
  const isHeld = isBusy && !mayLeave;
  const hasAsked = useSignal(false);
  const element = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  // Before it is painted: what is typed at once belongs into it.
  useLayoutEffect(() => {
    const opener = document.activeElement;
    element.current?.showModal();
    return () => {
      // What opened it may be gone with the same change, as a row that was deleted.
      queueMicrotask(() => {
        const mayFocus = opener instanceof HTMLElement && opener.isConnected;
        if (mayFocus && !opener.matches(':disabled')) opener.focus();
        else document.querySelector<HTMLElement>('main h1')?.focus();
      });
    };
  }, []);
  const wasBusy = useRef(false);
  useLayoutEffect(() => {
    // What was disabled meanwhile has lost the focus.
    if (wasBusy.current && !isBusy) element.current?.querySelector<HTMLElement>(focusable)?.focus();
    wasBusy.current = isBusy;
  }, [isBusy]);
  const leave = () => {
    if (isHeld) return;
    if (isDirty && !isBusy && !hasAsked.peek()) hasAsked.value = true;
    else onClose();
  };
  return (
    <dialog
      ref={element}
      aria-labelledby={titleId}
      onKeyDown={(event) => {
        // Enter held on what opened it is no answer to its question.
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
        // A browser closes it at the second Escape, whatever was said at the first.
        if (isHeld || keepsOpen) element.current?.showModal();
        else onClose();
      }}
    >
      <header>
        <h2 id={titleId}>{title}</h2>
        <Button kind="quiet" label="Close" onClick={leave} disabled={isHeld}>
          ×
        </Button>
      </header>
      <fieldset class="plain" disabled={isBusy}>
        <Leaving.Provider value={leave}>{children}</Leaving.Provider>
      </fieldset>
      {hasAsked.value && (
        <p role="alert" class="question">
          What you typed is not saved. Leave once more to throw it away.
        </p>
      )}
      {isBusy && mayLeave && (
        <p role="status" class="question">
          You can close this window. A message will show the result.
        </p>
      )}
      <div class="notices">
        <EndNotice />
      </div>
    </dialog>
  );
}

/** As the cross of the window does. */
export function GoBack({ disabled = false, autofocus = false }) {
  const leave = useContext(Leaving);
  return (
    <Button onClick={leave} disabled={disabled} autofocus={autofocus}>
      Go back
    </Button>
  );
}

/** What ends the form of a window: the way back, and what sends it. */
export function FormFooter(props: {
  readonly action: { readonly isRunning: boolean };
  readonly text: string;
  readonly runningText?: string;
}) {
  const { action, text, runningText = text } = props;
  return (
    <footer>
      <GoBack disabled={action.isRunning} />
      <Button kind="main" type="submit" disabled={action.isRunning}>
        {action.isRunning ? runningText : text}
      </Button>
    </footer>
  );
}

/** Leads to the first field with a fault, once it is shown. */
export function showFault(): void {
  setTimeout(() => document.querySelector<HTMLElement>('dialog [aria-invalid=true]')?.focus());
}

/** A question before what cannot be undone. */
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
  return (
    <Dialog title={title} onClose={onClose} isBusy={action.isRunning} mayLeave={action.isSlow}>
      <p>{children}</p>
      <Fault message={action.fault} />
      <footer>
        <GoBack disabled={action.isRunning} autofocus={kind === 'danger'} />
        <Button
          kind={kind}
          onClick={() => void action.run()}
          disabled={action.isRunning}
          autofocus={kind === 'main'}
        >
          {yes}
        </Button>
      </footer>
    </Dialog>
  );
}
