import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { stringify } from '../../../client/src/json.ts';
import { changeAsShown } from '../api/as-shown.ts';
import { common, conflictTexts as texts } from '../texts/common.ts';
import { Button } from './controls.tsx';
import { Dialog, type Faults, FormDialog, type FormOf, useForm } from './dialog.tsx';
import { ShortTable } from './display.tsx';

interface EditProps<Row, Draft> {
  readonly title: string;
  readonly row: Row;
  readonly draftOf: (row: Row) => Draft;
  readonly faultsOf: (draft: Draft, base: Row) => Faults<Draft>;
  /** Whether a draft changes nothing of a record. */
  readonly isSame: (draft: Draft, row: Row) => boolean;
  /** The values that people compare, with their headings. */
  readonly describe: (
    draft: Draft,
    now: Row,
  ) => readonly (readonly [heading: string, text: string])[];
  /** Sends the draft, which it can change first. */
  readonly save: (
    draft: FormOf<Draft>['draft'],
    base: Row,
    options: { readonly ifMatch: string; readonly idempotencyKey: string },
  ) => Promise<Row>;
  readonly read: () => Promise<Row>;
  /** Says that another user has changed or deleted the record. */
  readonly refusalOf: (now: Row | undefined) => string;
  readonly onSaved: (saved: Row, before: Row) => void;
  /** What the dialog offers beside the change, for the version on which the form is based. */
  readonly other?: { readonly text: string; readonly run: (base: Row) => void };
  /** The fields, for the version on which the form is based. */
  readonly children: (form: FormOf<Draft>, base: Row) => ComponentChildren;
}

/** Changes a record. If another user has changed it too, both versions are shown, and this user chooses. */
export function EditDialog<Row extends object, Draft extends object>(props: EditProps<Row, Draft>) {
  const { title, draftOf, isSame, describe, other, children } = props;
  const base = useSignal(props.row);
  /** What another user made of the record, until this user has chosen. */
  const now = useSignal<Row | undefined>(undefined);
  const form = useForm(
    draftOf(props.row),
    (draft) => props.faultsOf(draft, base.value),
    async (draft, idempotencyKey): Promise<void> => {
      const before = base.peek();
      // "Was saved" would suggest a change.
      if (isSame(draft, before)) return form.close();
      const { saved, from } = await changeAsShown(before, {
        send: async (ifMatch) => {
          const options = { ifMatch, idempotencyKey };
          return { saved: await props.save(form.draft, before, options), from: before };
        },
        read: props.read,
        changed(current) {
          if (current === undefined) throw new Error(props.refusalOf(current));
          const mine = rebase(form.draft.peek(), draftOf(before), draftOf(current));
          // The other user wrote the same. An Undo would take back what else this user has changed.
          if (stringify(mine) === stringify(draftOf(current)))
            return { saved: current, from: current };
          now.value = current;
          form.draft.value = mine;
          throw new Error(props.refusalOf(current));
        },
      });
      props.onSaved(saved, from);
      form.close();
    },
    common.slowRetry,
  );
  const { action } = form;
  const draft = form.draft.value;
  const current = now.value;
  if (current === undefined) {
    return (
      <FormDialog
        {...{ title, action }}
        other={other && { text: other.text, run: () => other.run(base.peek()) }}
        submit={common.save}
        submitting={common.saving}
        isDirty={!isSame(draft, base.value)}
      >
        {children(form, base.value)}
      </FormDialog>
    );
  }
  const accept = (chosen: Draft) => {
    form.draft.value = chosen;
    base.value = current;
    now.value = undefined;
  };
  const theirs = describe(draftOf(current), current);
  return (
    <Dialog title={title} isDirty>
      <p role="alert" class="question">
        {action.fault}
      </p>
      <ShortTable columns={['', texts.mine, texts.theirs]}>
        {describe(draft, current).map(([heading, mine], index) => (
          <tr key={heading} class={mine === theirs[index]?.[1] ? '' : 'differs'}>
            <th scope="row">{heading}</th>
            <td class="note">{mine}</td>
            <td class="note">{theirs[index]?.[1]}</td>
          </tr>
        ))}
      </ShortTable>
      <footer>
        <Button onClick={() => accept(draftOf(current))}>{texts.takeTheirs}</Button>
        <Button
          kind="main"
          onClick={() => {
            accept(draft);
            action.run();
          }}
        >
          {texts.saveMine}
        </Button>
      </footer>
    </Dialog>
  );
}

/** What a draft has changed since `before`, on top of what the record is now. */
function rebase<Draft extends object>(draft: Draft, before: Draft, now: Draft): Draft {
  const known = new Map(Object.entries(before));
  const changed = Object.entries(draft).filter(
    ([name, value]) => stringify(value) !== stringify(known.get(name)),
  );
  return { ...now, ...Object.fromEntries(changed) };
}
