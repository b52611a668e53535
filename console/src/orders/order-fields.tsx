import { Field, TextField } from '../parts/controls.tsx';
import type { FormOf } from '../parts/dialog.tsx';
import { draftTexts as texts } from '../texts/orders.ts';
import { dayOf, incompleteDay, type OrderDraft } from './order-draft.ts';

/** For whom an order is, and until when. A sale has no day. */
export function OrderFields<Draft extends OrderDraft>(props: {
  readonly form: Pick<FormOf<Draft>, 'field'>;
  readonly hasDay: boolean;
  readonly autofocus?: boolean;
}) {
  const { form, hasDay, autofocus = false } = props;
  return (
    <>
      <TextField
        label={texts.note}
        hint={texts.noteHint}
        {...form.field('note')}
        rows={3}
        autofocus={autofocus}
      />
      {hasDay && <DayField {...form.field('until')} />}
    </>
  );
}

function DayField(props: {
  readonly value: string;
  readonly fault: string | undefined;
  readonly onInput: (value: string) => void;
}) {
  const { value, fault, onInput } = props;
  // The browser sends no input event for a part of a day, and its value is empty.
  function read({ value: day, validity }: HTMLInputElement): void {
    const now = validity.badInput ? incompleteDay : day;
    if (now !== value) onInput(now);
  }
  return (
    <Field label={texts.until} hint={texts.untilHint} fault={fault}>
      {(attributes) => (
        <input
          {...attributes}
          type="date"
          min={dayOf(Date.now())}
          max="9999-12-30"
          value={value === incompleteDay ? '' : value}
          onInput={({ currentTarget }) => read(currentTarget)}
          onKeyUp={({ currentTarget }) => read(currentTarget)}
          onBlur={({ currentTarget }) => read(currentTarget)}
        />
      )}
    </Field>
  );
}
