import { useMemo } from 'preact/hooks';
import type { Pet } from '../../../client/src/contract.ts';
import { petStatuses } from '../../domain/pet.ts';
import { api } from '../api/api.ts';
import { nameFault } from '../api/names.ts';
import {
  CategoryPicker,
  categoryFault,
  chooseCategory,
  firstCategory,
  settleCategory,
} from '../categories/category-picker.tsx';
import { TextField } from '../parts/controls.tsx';
import { Status } from '../parts/display.tsx';
import { FormDialog, useForm } from '../parts/form.tsx';
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
export function AnimalFields(props: {
  readonly draft: Draft;
  readonly onDraft: (draft: Draft) => void;
  readonly faults: ReturnType<typeof faultsOf> | undefined;
}) {
  const { draft, onDraft, faults } = props;
  return (
    <>
      <TextField
        label={common.name}
        value={draft.name}
        fault={faults?.name}
        autofocus
        required
        onInput={(name) => onDraft({ ...draft, name })}
      />
      <CategoryPicker
        choice={draft.category}
        fault={faults?.category}
        onChoice={(category) => onDraft({ ...draft, category })}
      />
      <fieldset>
        <legend>{common.status}</legend>
        {petStatuses.map((status) => (
          <label key={status}>
            <input
              type="radio"
              name="status"
              value={status}
              checked={draft.status === status}
              onChange={() => onDraft({ ...draft, status })}
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

export function AddAnimal(props: {
  readonly onAdded: (pet: Pet) => void;
  readonly onClose: () => void;
}) {
  const { onAdded, onClose } = props;
  const initial = useMemo(() => newDraft(firstCategory()), []);
  const form = useForm(
    initial,
    faultsOf,
    async (draft, idempotencyKey) => {
      const own = api;
      const categoryId = await settleDraft(form.draft, idempotencyKey, own);
      const pet = await own.pets.create(newPetOf(draft, categoryId), { idempotencyKey });
      onAdded(pet);
      showNotice(texts.added(pet.name));
      onClose();
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
      onClose={onClose}
    >
      <AnimalFields draft={form.draft.value} faults={form.faults} onDraft={form.change} />
    </FormDialog>
  );
}
