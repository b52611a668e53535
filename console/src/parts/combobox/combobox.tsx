import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { messageOf } from '../../api/service.ts';
import { later } from '../../loading/later.ts';
import { common } from '../../texts/common.ts';
import { Fault, Field, type FieldProps } from '../controls.tsx';
import type { ComboboxProps } from './options.ts';

const list = later(async () => (await import('./combobox-list.tsx')).ComboboxList);

/** A choice among many, found by typing. It is loaded when it is first shown. Few fixed options are a `Select`. */
export function Combobox(props: ComboboxProps) {
  const fault = useSignal<string | undefined>(undefined);
  const hasFocus = useRef(props.autofocus ?? false);
  const text = useRef('');
  function load(): void {
    fault.value = undefined;
    list.load().catch((error) => {
      fault.value = messageOf(error);
    });
  }
  useEffect(load, []);
  const List = list.value;
  if (List !== undefined)
    return <List {...props} autofocus={hasFocus.current} first={text.current} />;
  return (
    <>
      <input
        id={props.id}
        aria-label={props.label}
        autofocus={props.autofocus ?? false}
        placeholder={common.loading}
        onFocus={() => {
          hasFocus.current = true;
          if (fault.peek() !== undefined) load();
        }}
        onInput={({ currentTarget }) => {
          text.current = currentTarget.value;
        }}
        onKeyDown={(event) => {
          // It chooses, and does not send the form.
          if (event.key === 'Enter') event.preventDefault();
        }}
        onBlur={() => {
          hasFocus.current = false;
        }}
      />
      <Fault message={fault.value} />
    </>
  );
}

export function ComboboxField({ hint, fault, ...rest }: FieldProps & ComboboxProps) {
  return (
    <Field label={rest.label} hint={hint} fault={fault}>
      {(attributes) => <Combobox {...attributes} {...rest} />}
    </Field>
  );
}
