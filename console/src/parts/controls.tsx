import type { ComponentChildren, JSX } from 'preact';
import { useId } from 'preact/hooks';

type ButtonProps = JSX.IntrinsicElements['button'] & {
  readonly kind?: 'main' | 'plain' | 'danger' | 'quiet' | 'row' | 'icon';
  /** For buttons whose text does not name their record, such as those in rows. */
  readonly label?: string;
};

export function Button({ kind = 'plain', label, ...rest }: ButtonProps) {
  return <button type="button" class={`button ${kind}`} aria-label={label} {...rest} />;
}

export interface FieldAttributes {
  readonly id: string;
  readonly 'aria-describedby': string | undefined;
  readonly 'aria-invalid': boolean;
}

export interface FieldProps {
  readonly label: string;
  readonly hint?: string | undefined;
  readonly fault?: string | undefined;
}

/** A field with its label above it, and its fault or hint below it. */
export function Field(
  props: FieldProps & { readonly children: (attributes: FieldAttributes) => JSX.Element },
) {
  const { label, hint, fault, children } = props;
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

type InputAttributes = Pick<JSX.IntrinsicElements['input'], 'autofocus' | 'maxLength' | 'required'>;

interface TextFieldProps extends FieldProps, InputAttributes {
  readonly value: string;
  readonly onInput: (value: string) => void;
  readonly isNumber?: boolean;
  /** A text of several lines has so many at once. */
  readonly rows?: number;
}

export function TextField(props: TextFieldProps) {
  const { label, hint, fault, isNumber = false, rows, onInput, ...rest } = props;
  return (
    <Field label={label} hint={hint} fault={fault}>
      {(attributes) => {
        const all = { ...attributes, ...rest, dir: 'auto', autocomplete: 'off' } as const;
        return rows === undefined ? (
          <input
            {...all}
            type="text"
            inputMode={isNumber ? 'numeric' : 'text'}
            onInput={(event) => onInput(event.currentTarget.value)}
          />
        ) : (
          <textarea {...all} rows={rows} onInput={(event) => onInput(event.currentTarget.value)} />
        );
      }}
    </Field>
  );
}

interface SelectProps extends Partial<FieldAttributes> {
  readonly 'aria-label'?: string;
  readonly value: string;
  /** Each with its value and its text. */
  readonly options: readonly (readonly [value: string, text: string])[];
  readonly onSelect: (value: string) => void;
}

export function Select({ options, onSelect, ...attributes }: SelectProps) {
  return (
    <select {...attributes} onChange={({ currentTarget }) => onSelect(currentTarget.value)}>
      {options.map(([option, text]) => (
        <option key={option} value={option}>
          {text}
        </option>
      ))}
    </select>
  );
}

export function SelectField({ label, hint, fault, ...rest }: FieldProps & SelectProps) {
  return (
    <Field label={label} hint={hint} fault={fault}>
      {(attributes) => <Select {...attributes} {...rest} />}
    </Field>
  );
}

/** A question with an answer in each line. */
export function RadioField(props: FieldProps & Omit<SelectProps, keyof FieldAttributes>) {
  const { label, hint, fault, value, options, onSelect } = props;
  const id = useId();
  const note = fault ?? hint;
  return (
    <fieldset
      class={fault === undefined ? 'checks' : 'checks faulty'}
      aria-describedby={note === undefined ? undefined : `${id}-note`}
    >
      <legend>{label}</legend>
      {options.map(([option, text]) => (
        <label key={option}>
          <input
            type="radio"
            name={id}
            checked={option === value}
            onChange={() => onSelect(option)}
          />
          {text}
        </label>
      ))}
      {note !== undefined && <p id={`${id}-note`}>{note}</p>}
    </fieldset>
  );
}

/** A list of which any number can be chosen. They keep their order. */
export function CheckList<Value extends string>(props: {
  readonly label: string;
  readonly hint?: string;
  readonly options: readonly (readonly [value: Value, text: string])[];
  readonly chosen: readonly Value[];
  readonly onChoose: (chosen: readonly Value[]) => void;
}) {
  const { label, hint, options, chosen, onChoose } = props;
  const id = useId();
  return (
    <fieldset class="checks" aria-describedby={hint === undefined ? undefined : id}>
      <legend>{label}</legend>
      {options.map(([value, text]) => (
        <label key={value}>
          <input
            type="checkbox"
            checked={chosen.includes(value)}
            onChange={({ currentTarget: { checked } }) => {
              const values = options.map(([one]) => one);
              onChoose(values.filter((one) => (one === value ? checked : chosen.includes(one))));
            }}
          />
          {text}
        </label>
      ))}
      {hint !== undefined && <p id={id}>{hint}</p>}
    </fieldset>
  );
}

export function CheckField(props: {
  readonly label: string;
  readonly isChecked: boolean;
  readonly onCheck: (isChecked: boolean) => void;
}) {
  return (
    <label class="check">
      <input
        type="checkbox"
        checked={props.isChecked}
        onChange={({ currentTarget }) => props.onCheck(currentTarget.checked)}
      />
      {props.label}
    </label>
  );
}

/** Screen readers read a message at once. */
export function Fault({ message }: { readonly message: string | undefined }) {
  return (
    <div role="alert" class={message && 'fault'}>
      {message}
    </div>
  );
}

/** Fields that belong to one action. The page validates them, and not the browser. */
export function Form(props: {
  readonly action: { run(): void };
  readonly children: ComponentChildren;
}) {
  return (
    <form
      noValidate
      // In a field of several lines, Enter begins a new line.
      onKeyDown={(event) => {
        const { key, ctrlKey, metaKey, repeat } = event;
        const isText = event.target instanceof HTMLTextAreaElement;
        if (isText && key === 'Enter' && (ctrlKey || metaKey) && !repeat) props.action.run();
      }}
      onSubmit={(event) => {
        event.preventDefault();
        props.action.run();
      }}
    >
      {props.children}
    </form>
  );
}
