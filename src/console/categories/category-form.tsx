import { useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import type { Category, NewCategory } from '../../../client/src/contract.ts';
import { stringify } from '../../../client/src/json.ts';
import { descriptionLengthMax } from '../../domain/category.ts';
import { api } from '../api/api.ts';
import { nameFault } from '../api/names.ts';
import { Field, TextField } from '../parts/controls.tsx';
import { FormDialog, useForm } from '../parts/dialog.tsx';
import { showNotice } from '../parts/notices.tsx';
import { texts } from '../texts/categories.ts';
import { common } from '../texts/common.ts';
import { findCategory, putCategory } from './categories-state.ts';

/** Adds a category, or changes one. */
export function CategoryForm({ category }: { readonly category: Category | undefined }) {
  const initial = { name: category?.name ?? '', description: category?.description ?? '' };
  const base = useSignal(category);
  // In another workspace, the number is that of another category.
  const own = useMemo(() => api, []);
  const form = useForm(
    initial,
    ({ name }) => {
      const other = findCategory(name, category?.id);
      return { name: other ? texts.nameTaken(other.name, other.id) : nameFault(name) };
    },
    async ({ name, description }, idempotencyKey) => {
      const wanted = { name, ...(description === '' ? {} : { description }) };
      const shown = base.peek();
      const saved =
        shown === undefined
          ? await own.categories.create(wanted, { idempotencyKey })
          : await replace(shown, wanted, idempotencyKey);
      putCategory(saved);
      showNotice(common.saved(saved.name));
      form.close();
    },
  );

  /** Replaces the category that was shown. Another version is shown first. */
  async function replace(
    shown: Category,
    wanted: NewCategory,
    idempotencyKey: string,
  ): Promise<Category> {
    const now = await own.categories.get(shown.id);
    putCategory(now);
    // An earlier attempt saved it, and its answer was lost.
    if (now.name === wanted.name && now.description === wanted.description) return now;
    if (stringify(now) !== stringify(shown)) {
      base.value = now;
      form.renewKey();
      throw new Error(texts.changedByOthers(now.name, now.description ?? ''));
    }
    return own.categories.put(shown.id, wanted, { ifMatch: now, idempotencyKey });
  }

  const draft = form.draft.value;
  return (
    <FormDialog
      title={category === undefined ? texts.add : texts.titleOf(category.id)}
      action={form.action}
      submit={common.save}
      submitting={common.saving}
      isDirty={draft.name !== initial.name || draft.description !== initial.description}
    >
      <TextField label={common.name} {...form.field('name')} autofocus required />
      <Field label={texts.description} hint={texts.descriptionHint}>
        {(attributes) => (
          <textarea
            {...attributes}
            rows={3}
            maxLength={descriptionLengthMax}
            value={draft.description}
            onInput={({ currentTarget }) => form.field('description').onInput(currentTarget.value)}
          />
        )}
      </Field>
    </FormDialog>
  );
}
