import { useSignal } from '@preact/signals';
import { type ComponentChildren, createContext, type JSX } from 'preact';
import { useContext, useEffect, useId, useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import type { PetStatus } from '../../client/src/contract.ts';
import { randomHex } from '../../client/src/json.ts';
import { tell } from './notices.tsx';
import { messageOf, slowMilliseconds } from './store.ts';

// What all screens are made of.

interface ButtonProps {
  readonly children: ComponentChildren;
  readonly onClick?: () => void;
  readonly kind?: 'main' | 'plain' | 'danger' | 'quiet';
  readonly type?: 'button' | 'submit';
  readonly disabled?: boolean;
  readonly autofocus?: boolean;
  /** Where the text alone does not say what it is about, as in rows. */
  readonly label?: string;
  readonly tabIndex?: number;
}

export function Button({ children, onClick, kind = 'plain', label, ...rest }: ButtonProps) {
  return (
    <button type="button" class={`button ${kind}`} aria-label={label} {...rest} onClick={onClick}>
      {children}
    </button>
  );
}

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
          You may close this window: what comes of it is told when it is known.
        </p>
      )}
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

interface FieldAttributes {
  readonly id: string;
  readonly 'aria-describedby': string | undefined;
  readonly 'aria-invalid': boolean;
}

interface FieldProps {
  readonly label: string;
  readonly hint?: string | undefined;
  readonly fault?: string | undefined;
  readonly children: (attributes: FieldAttributes) => JSX.Element;
}

/** A field with its name above it, and what is wrong with it below. */
export function Field({ label, hint, fault, children }: FieldProps) {
  const id = useId();
  const note = fault ?? hint;
  return (
    <div class={fault === undefined ? 'field' : 'field faulty'}>
      <label for={id}>{label}</label>
      {children({
        id,
        'aria-describedby': note === undefined ? undefined : `${id}-note`,
        'aria-invalid': fault !== undefined,
      })}
      {note !== undefined && <p id={`${id}-note`}>{note}</p>}
    </div>
  );
}

interface TextFieldProps {
  readonly label: string;
  readonly value: string;
  readonly onInput: (value: string) => void;
  readonly hint?: string | undefined;
  readonly fault?: string | undefined;
  readonly isNumber?: boolean;
  readonly isRequired?: boolean;
  readonly autofocus?: boolean;
  readonly lengthMax?: number;
}

export function TextField({ label, value, onInput, hint, fault, ...rest }: TextFieldProps) {
  const { isNumber = false, isRequired = false, autofocus = false, lengthMax } = rest;
  return (
    <Field label={label} hint={hint} fault={fault}>
      {(attributes) => (
        <input
          {...attributes}
          type="text"
          dir="auto"
          inputMode={isNumber ? 'numeric' : 'text'}
          autocomplete="off"
          required={isRequired}
          autofocus={autofocus}
          maxLength={lengthMax}
          value={value}
          onInput={(event) => onInput(event.currentTarget.value)}
        />
      )}
    </Field>
  );
}

/** A status in words and in colour. */
export function Status({ status }: { readonly status: PetStatus | (string & {}) }) {
  return <span class={`status ${status}`}>{status}</span>;
}

/** Read aloud at once. */
export function Fault({ message }: { readonly message: string | undefined }) {
  return (
    <div role="alert" class={message === undefined ? 'empty-fault' : 'fault'}>
      {message}
    </div>
  );
}

const usuallySlow = 'This takes longer than usual.';
/** Of what has an Idempotency-Key. */
export const keyedSlow =
  'The server is slow to answer. It is tried again, and nothing is done twice.';

/** Something that takes time and may fail. While it runs it is not begun again. `slow` is said after a while. */
export function useAction(act: () => Promise<void>, slow = usuallySlow) {
  const isRunning = useSignal(false);
  const fault = useSignal<string | undefined>(undefined);
  const isLeft = useRef(false);
  useEffect(
    () => () => {
      isLeft.current = true;
    },
    [],
  );
  return {
    isRunning: isRunning.value,
    isSlow: isRunning.value && fault.value === slow,
    /** Throws what a window would show where it was left meanwhile, so that it is told all the same. */
    throwIfLeft(message: string): void {
      if (isLeft.current) throw new Error(message);
    },
    fault: fault.value,
    async run(): Promise<void> {
      if (isRunning.peek()) return;
      isRunning.value = true;
      fault.value = undefined;
      const timer = setTimeout(() => {
        fault.value = slow;
      }, slowMilliseconds);
      try {
        await act();
        if (fault.peek() === slow) fault.value = undefined;
      } catch (error) {
        if (isLeft.current) tell(messageOf(error));
        else fault.value = messageOf(error);
      } finally {
        clearTimeout(timer);
        isRunning.value = false;
      }
    },
  };
}

/** Fields that belong to one action. What is wrong with them is said by the page, and not by the browser. */
export function Form(props: {
  readonly action: { run(): Promise<void> };
  readonly children: ComponentChildren;
}) {
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void props.action.run();
      }}
    >
      {props.children}
    </form>
  );
}

/**
 * The Idempotency-Key of what a window does: who tries again, because no answer came, does nothing twice. It is renewed where
 * what is to be done is changed.
 */
export function useIdempotencyKey(): { readonly current: string; renew(): void } {
  return useMemo(() => {
    const make = () => `console-${randomHex()}`;
    let current = make();
    return {
      get current() {
        return current;
      },
      renew() {
        current = make();
      },
    };
  }, []);
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

/** What a screen shows where there is nothing, with the next step. */
export function Empty(props: { readonly title: string; readonly children?: ComponentChildren }) {
  return (
    <div class="empty">
      <h2>{props.title}</h2>
      {props.children}
    </div>
  );
}

/** Links that are one choice of several. */
export function Choices(props: {
  readonly label: string;
  readonly choices: readonly {
    readonly text: string;
    readonly address: string;
    readonly isChosen: boolean;
  }[];
}) {
  return (
    <nav class="choices" aria-label={props.label}>
      {props.choices.map(({ text, address, isChosen }) => (
        <a key={text.split(' ', 1)[0]} href={address} aria-current={isChosen ? 'true' : undefined}>
          {text}
        </a>
      ))}
    </nav>
  );
}

/** What others have added, to be shown when it suits. */
export function NewRecords(props: {
  readonly count: number;
  readonly noun: string;
  readonly onShow: () => void;
}) {
  const { count, noun, onShow } = props;
  return (
    <p class="unseen" role="status">
      {count > 0 && (
        <Button kind="main" onClick={onShow}>
          Show {count} new {count === 1 ? noun : `${noun}s`}
        </Button>
      )}
    </p>
  );
}

export function capitalize(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1);
}
