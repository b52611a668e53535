import { useSignal } from '@preact/signals';
import type { Category, NewCategory } from '../../../client/src/contract.ts';
import { isAnimalStoreError } from '../../../client/src/error.ts';
import { descriptionLengthMax } from '../../../src/domain/category.ts';
import { changeAsShown } from '../api/as-shown.ts';
import { parseInteger } from '../api/integer.ts';
import { nameFault } from '../api/names.ts';
import { hasScope, useApi } from '../api/session.ts';
import { Button, TextField } from '../parts/controls.tsx';
import { FormDialog, useDialog, useForm } from '../parts/dialog.tsx';
import { Empty, Toolbar } from '../parts/display.tsx';
import { showNotice } from '../parts/notices.tsx';
import { addressOf } from '../route.ts';
import { numberColumn, Table } from '../tables/table.tsx';
import { texts } from '../texts/categories.ts';
import { common, frame } from '../texts/common.ts';
import { shortName, visibleName } from '../texts/short-name.ts';
import { categoryList, findCategory } from './categories-state.ts';
import { DeleteCategory } from './delete-category.tsx';
import { undoCategory } from './undo-category.ts';

export function Categories() {
  const canWrite = hasScope('pets:write');
  const { letters } = common;
  const { dialog, open } = useDialog({
    add: (number?: bigint) => <CategoryForm number={number} />,
    edit: (category: Category) => <CategoryForm category={category} />,
    delete: (category: Category) => <DeleteCategory category={category} />,
  });
  const edit = (category: Category) =>
    isNamed(category) ? open('edit', category) : open('add', category.id);
  const { state, rows } = categoryList;
  const isEmpty = state.value === 'complete' && rows.items.length === 0;
  return (
    <>
      <Toolbar
        text={texts.add}
        isAllowed={canWrite && rows.items.length > 0}
        onClick={() => open('add')}
      >
        <p>{texts.hint}</p>
      </Toolbar>
      {isEmpty ? (
        <Empty title={texts.none}>
          <p>{texts.noneHint}</p>
          {canWrite && (
            <Button kind="main" onClick={() => open('add')}>
              {texts.add}
            </Button>
          )}
        </Empty>
      ) : (
        <Table
          list={categoryList}
          label={frame.titles.categories}
          layout="categories"
          narrowLines="oneAndText"
          onOpen={canWrite ? edit : undefined}
          columns={[
            numberColumn,
            {
              heading: common.name,
              class: 'name',
              cell: ({ id, name }, tabIndex) => (
                <>
                  <a href={addressOf('animals', { category: String(id) })} tabIndex={tabIndex}>
                    <bdi>{name === '' ? texts.withoutName : visibleName({ id, name })}</bdi>
                  </a>{' '}
                  <small class="short">{String(id)}</small>
                </>
              ),
            },
            {
              heading: texts.description,
              class: 'description',
              title: ({ description }) => description,
              cell: ({ description }) => description ?? '',
            },
          ]}
          nameOf={({ name }) => shortName(name)}
          actions={(category) => {
            const run = () => edit(category);
            if (!canWrite) return [];
            if (!isNamed(category)) {
              const label = texts.giveNameOf(category.id);
              return [{ text: texts.giveName, is: 'main', label, letter: letters.edit, run }];
            }
            return [
              { text: common.edit, letter: letters.edit, is: 'edit', run },
              {
                text: common.delete,
                letter: letters.delete,
                run: () => open('delete', category),
              },
            ];
          }}
        />
      )}
      {dialog}
    </>
  );
}

/** Whether a row is a category, and not a number of animals without one. */
function isNamed({ name }: Category): boolean {
  return name !== '';
}

function isSame(one: NewCategory, other: NewCategory): boolean {
  return one.name === other.name && one.description === other.description;
}

/** Adds a category, perhaps under a number that animals have, or changes one. */
function CategoryForm(props: {
  readonly category?: Category;
  readonly number?: bigint | undefined;
}) {
  const { category, number } = props;
  const initial = {
    number: number?.toString() ?? '',
    name: category?.name ?? '',
    description: category?.description ?? '',
  };
  const base = useSignal(category);
  const sessionApi = useApi();
  const form = useForm(
    initial,
    (draft) => {
      const other = findCategory(draft.name, category?.id);
      const isNumber = draft.number === '' || parseInteger(draft.number) !== undefined;
      return {
        name: other ? texts.nameTaken(other.name, other.id) : nameFault(draft.name),
        number: isNumber ? undefined : texts.numberFault,
      };
    },
    async ({ name: typed, description, number }, idempotencyKey): Promise<void> => {
      const name = typed === initial.name ? typed : typed.trim();
      const wanted = { name, ...(description === '' ? {} : { description }) };
      const shown = base.peek();
      if (shown !== undefined && isSame(shown, wanted)) return form.close();
      const saved =
        shown === undefined
          ? await create(parseInteger(number), wanted, idempotencyKey)
          : await replace(shown, wanted, idempotencyKey);
      const undo = shown && undoCategory(shown, saved);
      showNotice(common.saved(texts.named(saved.name, saved.id)), undo);
      form.close();
    },
  );

  /** Adds the category, under a number that no other category has, or under a new one. */
  async function create(
    id: bigint | undefined,
    wanted: NewCategory,
    idempotencyKey: string,
  ): Promise<Category> {
    if (id === undefined) return sessionApi.categories.create(wanted, { idempotencyKey });
    return sessionApi.categories
      .put(id, wanted, { ifNoneMatch: '*', idempotencyKey })
      .catch((error) => {
        const isTaken = isAnimalStoreError(error, 'precondition_failed');
        throw isTaken ? new Error(texts.numberTaken(id), { cause: error }) : error;
      });
  }

  /** Replaces the category that was shown. Another version is shown first. */
  const replace = (shown: Category, wanted: NewCategory, idempotencyKey: string) =>
    changeAsShown(shown, {
      send: (ifMatch) => sessionApi.categories.put(shown.id, wanted, { ifMatch, idempotencyKey }),
      read: () => sessionApi.categories.get(shown.id),
      changed(now) {
        if (now === undefined) throw new Error(texts.gone);
        base.value = now;
        throw new Error(texts.changedByOthers(now.name, now.description ?? ''));
      },
    });

  return (
    <FormDialog
      title={category === undefined ? texts.add : texts.titleOf(category.id)}
      action={form.action}
      submit={common.save}
      submitting={common.saving}
      isDirty={form.isDirty}
    >
      <TextField label={common.name} {...form.field('name')} autofocus required />
      <TextField
        label={texts.description}
        hint={texts.descriptionHint}
        {...form.field('description')}
        rows={3}
        maxLength={descriptionLengthMax}
      />
      {category === undefined && (
        <TextField
          label={common.number}
          {...form.field('number')}
          hint={texts.numberHint}
          isNumber
        />
      )}
    </FormDialog>
  );
}
