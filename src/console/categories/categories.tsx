import { useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import type { Category, NewCategory } from '../../../client/src/contract.ts';
import { isAnimalStoreError } from '../../../client/src/error.ts';
import { stringify } from '../../../client/src/json.ts';
import { descriptionLengthMax } from '../../domain/category.ts';
import { api } from '../api/api.ts';
import { nameFault } from '../api/names.ts';
import { Field, TextField } from '../parts/controls.tsx';
import { Confirm, FormDialog, useDialog, useForm } from '../parts/dialog.tsx';
import { Empty, Toolbar } from '../parts/display.tsx';
import { showNotice } from '../parts/notices.tsx';
import { numberColumn, Table } from '../parts/table.tsx';
import { addressOf } from '../parts/url-state.ts';
import { may } from '../session/session.ts';
import { texts } from '../texts/categories.ts';
import { common, frame } from '../texts/common.ts';
import {
  categories,
  categoryList,
  dropCategory,
  findCategory,
  putCategory,
} from './categories-state.ts';

export function Categories() {
  const canWrite = may('pets:write');
  const { dialog, open } = useDialog({
    edit: (category?: Category) => <CategoryForm category={category} />,
    delete: ({ id, name }: Category) => (
      <Confirm
        title={texts.deleteQuestion(name)}
        hint={texts.deleteHint(id)}
        yes={common.deletePermanently}
        act={async () => {
          await api.categories.delete(id).catch((error) => {
            // Another user has deleted it already.
            if (!isAnimalStoreError(error, 'not_found')) throw error;
          });
          dropCategory(id);
          showNotice(common.deleted(name));
        }}
      />
    ),
  });
  return (
    <>
      <Toolbar text={texts.add} isAllowed={canWrite} onClick={() => open('edit')}>
        <p>{texts.hint}</p>
      </Toolbar>
      {categoryList.state.value === 'complete' && categories.value.length === 0 ? (
        <Empty title={texts.none}>
          <p>{texts.noneHint}</p>
        </Empty>
      ) : (
        <Table
          list={categoryList}
          label={frame.titles.categories}
          layout="categories"
          onOpen={canWrite ? (category) => open('edit', category) : undefined}
          columns={[
            numberColumn,
            {
              heading: common.name,
              class: 'name',
              cell: ({ id, name }, tabIndex) => (
                <a href={addressOf('animals', { category: String(id) })} tabIndex={tabIndex}>
                  <bdi>{name}</bdi>
                </a>
              ),
            },
            {
              heading: texts.description,
              class: 'description',
              title: ({ description }) => description,
              cell: ({ description }) => description ?? '',
            },
          ]}
          nameOf={({ name }) => name}
          actions={(category) =>
            canWrite
              ? [
                  [common.edit, () => open('edit', category)],
                  [common.delete, () => open('delete', category)],
                ]
              : []
          }
        />
      )}
      {dialog}
    </>
  );
}

/** Adds a category, or changes one. */
function CategoryForm({ category }: { readonly category: Category | undefined }) {
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
