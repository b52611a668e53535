import type { ComponentChildren, JSX } from 'preact';
import { useId } from 'preact/hooks';
import type { PetStatus } from '../../../client/src/contract.ts';

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
