import { useMemo } from 'preact/hooks';
import { petStatuses } from '../../../src/domain/pet.ts';
import { nameFault } from '../api/names.ts';
import { currentApi } from '../api/session.ts';
import { noCategory } from '../categories/category-choice.ts';
import { CategoryPicker, categoryFault, ensureCategory } from '../categories/category-picker.tsx';
import { TextField } from '../parts/controls.tsx';
import { FormDialog, type FormOf, useForm } from '../parts/dialog.tsx';
import { Status } from '../parts/display.tsx';
import { showNotice } from '../parts/notices.tsx';
import { formTexts as texts } from '../texts/animals.ts';
import { common } from '../texts/common.ts';
import { type Draft, isSameDraft, newDraft, newPetOf, tidyDraft } from './members.ts';

export function faultsOf({ name, category }: Draft) {
  return { name: nameFault(name), category: categoryFault(category) };
}

/** The field of each member. */
export function AnimalFields({ form }: { readonly form: FormOf<Draft> }) {
  const { value: chosen, onInput } = form.field('status');
  return (
    <>
      <TextField label={common.name} {...form.field('name')} autofocus required />
      <CategoryPicker {...form.field('category')} />
      <fieldset>
        <legend>{common.status}</legend>
        {petStatuses.map((status) => (
          <label key={status}>
            <input
              type="radio"
              name="status"
              value={status}
              checked={chosen === status}
              onChange={() => onInput(status)}
            />
            <Status status={status} />
          </label>
        ))}
      </fieldset>
    </>
  );
}

/** The number of the category of a draft. A new category is created first, and is then a known one for a retry. */
export async function ensureDraftCategory(
  draft: FormOf<Draft>['draft'],
  idempotencyKey: string,
): Promise<bigint> {
  const { category } = draft.peek();
  const id = await ensureCategory(category, idempotencyKey);
  if (category.kind === 'new') {
    draft.value = { ...draft.peek(), category: { kind: 'number', text: String(id) } };
  }
  return id;
}

export function AddAnimal() {
  const initial = useMemo(() => newDraft(noCategory), []);
  const form = useForm(
    initial,
    faultsOf,
    async (_draft, idempotencyKey) => {
      const categoryId = await ensureDraftCategory(form.draft, idempotencyKey);
      const sent = newPetOf(tidyDraft(form.draft.peek()), categoryId);
      const pet = await currentApi().pets.create(sent, { idempotencyKey });
      showNotice(texts.added(pet));
      form.close();
    },
    common.slowRetry,
  );
  return (
    <FormDialog
      title={texts.add}
      action={form.action}
      submit={texts.addSubmit}
      submitting={texts.adding}
      isDirty={!isSameDraft(form.draft.value, initial)}
    >
      <AnimalFields form={form} />
    </FormDialog>
  );
}
