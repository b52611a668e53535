import { useMemo } from 'preact/hooks';
import type { Pet } from '../../../client/src/contract.ts';
import { petStatuses } from '../../domain/pet.ts';
import { api } from '../api/api.ts';
import { announceOwn } from '../api/live.ts';
import { nameFault } from '../api/names.ts';
import {
  CategoryPicker,
  categoryFault,
  chooseCategory,
  firstCategory,
  settleCategory,
} from '../categories/category-picker.tsx';
import { TextField } from '../parts/controls.tsx';
import { FormDialog, type FormOf, useForm } from '../parts/dialog.tsx';
import { Status } from '../parts/display.tsx';
import { showNotice } from '../parts/notices.tsx';
import { formTexts as texts } from '../texts/animals.ts';
import { common } from '../texts/common.ts';
import { type Draft, draftOf, isSameDraft, newDraft, newPetOf } from './members.ts';

/** The draft of a form for an animal that exists. */
export function formDraftOf(pet: Pet): Draft {
  return { ...draftOf(pet), category: chooseCategory(pet.categoryId) };
}

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
export async function settleDraft(
  draft: { value: Draft },
  idempotencyKey: string,
  own: typeof api,
): Promise<bigint> {
  const { category } = draft.value;
  const id = await settleCategory(category, `${idempotencyKey}-category`, own);
  if (category.kind === 'new') draft.value = { ...draft.value, category: chooseCategory(id) };
  return id;
}

export function AddAnimal() {
  const initial = useMemo(() => newDraft(firstCategory()), []);
  const form = useForm(
    initial,
    faultsOf,
    async (draft, idempotencyKey) => {
      const own = api;
      const categoryId = await settleDraft(form.draft, idempotencyKey, own);
      const pet = await own.pets.create(newPetOf(draft, categoryId), { idempotencyKey });
      announceOwn({ type: 'pet.created', data: pet });
      showNotice(texts.added(pet.name));
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
