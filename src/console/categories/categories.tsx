import { useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import type { Category, NewCategory } from '../../../client/src/contract.ts';
import { isAnimalStoreError } from '../../../client/src/error.ts';
import { stringify } from '../../../client/src/json.ts';
import { descriptionLengthMax } from '../../domain/category.ts';
import { api } from '../api/api.ts';
import { nameFault } from '../api/names.ts';
import { useAction, useIdempotencyKey } from '../parts/action.ts';
import { Confirm, Dialog, FormFooter, showFault, useWindow } from '../parts/dialog.tsx';
import { tell } from '../parts/notices.tsx';
import { Button, Empty, Fault, Field, Form, TextField } from '../parts/parts.tsx';
import { Cell, Table } from '../parts/table.tsx';
import { addressOf } from '../parts/url-state.ts';
import { may } from '../session/session.ts';
import {
  categories,
  categoriesMessage,
  categoriesState,
  dropCategory,
  findCategory,
  loadCategories,
  putCategory,
} from './categories-state.ts';

type Window =
  | { readonly is: 'add' }
  | { readonly is: 'edit' | 'delete'; readonly category: Category };

export function Categories() {
  const { opened, open, close } = useWindow<Window>();
  const canWrite = may('pets:write');
  const state = categoriesState.value;
  return (
    <>
      <div class="toolbar">
        <p>What the animals are sorted by.</p>
        <div class="actions">
          {canWrite && (
            <Button kind="main" onClick={() => open({ is: 'add' })}>
              Add a category
            </Button>
          )}
        </div>
      </div>
      {state === 'ready' && categories.value.length === 0 ? (
        <Empty title="No categories yet">
          <p>Such as Dogs, Cats or Rabbits. One is also made when an animal is added.</p>
        </Empty>
      ) : (
        <Table
          label="Categories"
          layout="categories"
          columns={['Number', 'Name', 'Description', 'Actions']}
          rows={categories.value}
          idOf={({ id }) => id}
          listKey="categories"
          state={state === 'ready' ? 'complete' : state}
          message={categoriesMessage.value}
          onMore={() => void loadCategories()}
          onOpen={canWrite ? (category) => open({ is: 'edit', category }) : undefined}
          cells={(category, isCurrent) => {
            const tabIndex = isCurrent ? 0 : -1;
            return (
              <>
                <Cell class="number">{String(category.id)}</Cell>
                <Cell class="name">
                  <a
                    href={addressOf('animals', { category: String(category.id) })}
                    tabIndex={tabIndex}
                  >
                    <bdi>{category.name}</bdi>
                  </a>
                </Cell>
                <Cell class="description" title={category.description}>
                  {category.description ?? ''}
                </Cell>
                <Cell class="row-actions">
                  {canWrite && (
                    <>
                      <Button
                        label={`Edit ${category.name}`}
                        tabIndex={tabIndex}
                        onClick={() => open({ is: 'edit', category })}
                      >
                        Edit
                      </Button>
                      <Button
                        label={`Delete ${category.name}`}
                        tabIndex={tabIndex}
                        onClick={() => open({ is: 'delete', category })}
                      >
                        Delete
                      </Button>
                    </>
                  )}
                </Cell>
              </>
            );
          }}
        />
      )}
      {(opened?.is === 'add' || opened?.is === 'edit') && (
        <CategoryForm
          category={opened.is === 'edit' ? opened.category : undefined}
          onClose={close}
        />
      )}
      {opened?.is === 'delete' && (
        <Confirm
          title={`Delete ${opened.category.name}?`}
          yes="Delete for good"
          act={async () => {
            await api.categories.delete(opened.category.id).catch((error) => {
              // Somebody was faster: it is as it was to be.
              if (!isAnimalStoreError(error, 'not_found')) throw error;
            });
            dropCategory(opened.category.id);
            tell(`${opened.category.name} was deleted.`);
          }}
          onClose={close}
        >
          Its animals stay, and show the number {String(opened.category.id)} instead of the name.
        </Confirm>
      )}
    </>
  );
}

function CategoryForm(props: {
  readonly category: Category | undefined;
  readonly onClose: () => void;
}) {
  const { category, onClose } = props;
  const name = useSignal(category?.name ?? '');
  const description = useSignal(category?.description ?? '');
  const showsFaults = useSignal(false);
  const base = useSignal(category);
  const faultOf = (text: string) => {
    const other = findCategory(text, category?.id);
    return other === undefined
      ? nameFault(text)
      : `There is ${other.name} (${other.id}) already: nobody could tell the two apart.`;
  };
  const idempotencyKey = useIdempotencyKey();
  // The number stands for another category once another workspace is shown.
  const own = useMemo(() => api, []);
  const save = useAction(async () => {
    showsFaults.value = true;
    if (faultOf(name.peek()) !== undefined) return showFault();
    const text = description.peek();
    const told = { name: name.peek(), ...(text === '' ? {} : { description: text }) };
    const saved =
      base.peek() === undefined
        ? await own.categories.create(told, { idempotencyKey: idempotencyKey.current })
        : await replace(base.peek(), told);
    putCategory(saved);
    tell(`${saved.name} was saved.`);
    onClose();
  });

  /** Puts it in the place of what was shown, and of nothing else. */
  async function replace(shown: Category | undefined, told: NewCategory): Promise<Category> {
    const { id } = shown ?? { id: 0n };
    const now = await own.categories.get(id);
    putCategory(now);
    // An attempt saved it whose answer was lost.
    if (now.name === told.name && now.description === told.description) return now;
    if (stringify(now) !== stringify(shown)) {
      base.value = now;
      idempotencyKey.renew();
      throw new Error(
        `Somebody else has changed it meanwhile, to: ${now.name}. ${now.description ?? ''} Save again to put yours in its place.`,
      );
    }
    return own.categories.put(id, told, {
      ifMatch: now,
      idempotencyKey: idempotencyKey.current,
    });
  }

  return (
    <Dialog
      title={category === undefined ? 'Add a category' : `Category ${category.id}`}
      onClose={onClose}
      isBusy={save.isRunning}
      mayLeave={save.isSlow}
      isDirty={
        name.value !== (category?.name ?? '') || description.value !== (category?.description ?? '')
      }
    >
      <Form action={save}>
        <TextField
          label="Name"
          value={name.value}
          autofocus
          isRequired
          fault={showsFaults.value ? faultOf(name.value) : undefined}
          onInput={(text) => {
            name.value = text;
            idempotencyKey.renew();
          }}
        />
        <Field label="Description" hint="May be left empty">
          {(attributes) => (
            <textarea
              {...attributes}
              rows={3}
              maxLength={descriptionLengthMax}
              value={description.value}
              onInput={(event) => {
                description.value = event.currentTarget.value;
                idempotencyKey.renew();
              }}
            />
          )}
        </Field>
        <Fault message={save.fault} />
        <FormFooter action={save} text="Save" runningText="Saving…" />
      </Form>
    </Dialog>
  );
}
