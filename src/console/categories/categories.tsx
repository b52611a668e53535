import { useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import type { Category, NewCategory } from '../../../client/src/contract.ts';
import { isAnimalStoreError } from '../../../client/src/error.ts';
import { stringify } from '../../../client/src/json.ts';
import { descriptionLengthMax } from '../../domain/category.ts';
import { announceOwnChange } from '../api/live.ts';
import { nameFault } from '../api/names.ts';
import { currentApi, hasScope } from '../api/session.ts';
import { Field, TextField } from '../parts/controls.tsx';
import { Confirm, FormDialog, useDialog, useForm } from '../parts/dialog.tsx';
import { Empty, Toolbar } from '../parts/display.tsx';
import { showNotice } from '../parts/notices.tsx';
import { numberColumn, Table } from '../parts/table.tsx';
import { addressOf } from '../route.ts';
import { texts } from '../texts/categories.ts';
import { common, frame } from '../texts/common.ts';
import { categories, categoryList, findCategory } from './categories-state.ts';

export function Categories() {
  const canWrite = hasScope('pets:write');
  const { dialog, open } = useDialog({
    edit: (category?: Category) => <CategoryForm category={category} />,
    delete: (category: Category) => (
      <Confirm
        title={texts.deleteQuestion(category.name)}
        hint={texts.deleteHint(category.id)}
        yes={common.deletePermanently}
        act={async () => {
          await currentApi()
            .categories.delete(category.id)
            .catch((error) => {
              // Another user has deleted it already.
              if (!isAnimalStoreError(error, 'not_found')) throw error;
            });
          announceOwnChange({ type: 'category.deleted', data: category });
          showNotice(common.deleted(category.name));
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
                  { text: common.edit, run: () => open('edit', category) },
                  { text: common.delete, run: () => open('delete', category) },
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
  const sessionApi = useMemo(currentApi, []);
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
          ? await sessionApi.categories.create(wanted, { idempotencyKey })
          : await replace(shown, wanted, idempotencyKey);
      const type = shown === undefined ? 'category.created' : 'category.updated';
      announceOwnChange({ type, data: saved });
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
    const now = await sessionApi.categories.get(shown.id);
    announceOwnChange({ type: 'category.updated', data: now });
    // An earlier attempt saved it, and its answer was lost.
    if (now.name === wanted.name && now.description === wanted.description) return now;
    if (stringify(now) !== stringify(shown)) {
      base.value = now;
      form.renewKey();
      throw new Error(texts.changedByOthers(now.name, now.description ?? ''));
    }
    return sessionApi.categories.put(shown.id, wanted, { ifMatch: now, idempotencyKey });
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
