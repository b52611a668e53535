import type { Category } from '../../../client/src/contract.ts';
import { isAnimalStoreError } from '../../../client/src/error.ts';
import { api } from '../api/api.ts';
import { Confirm, useDialog } from '../parts/dialog.tsx';
import { Empty, Toolbar } from '../parts/display.tsx';
import { showNotice } from '../parts/notices.tsx';
import { Table } from '../parts/table.tsx';
import { addressOf } from '../parts/url-state.ts';
import { may } from '../session/session.ts';
import { texts } from '../texts/categories.ts';
import { common } from '../texts/common.ts';
import {
  categories,
  categoriesMessage,
  categoriesState,
  dropCategory,
  loadCategories,
} from './categories-state.ts';
import { CategoryForm } from './category-form.tsx';

type OpenDialog =
  | { readonly is: 'add' }
  | { readonly is: 'edit' | 'delete'; readonly category: Category };

export function Categories() {
  const { opened, open, close } = useDialog<OpenDialog>();
  const canWrite = may('pets:write');
  const state = categoriesState.value;
  return (
    <>
      <Toolbar text={texts.add} isAllowed={canWrite} onClick={() => open({ is: 'add' })}>
        <p>{texts.hint}</p>
      </Toolbar>
      {state === 'ready' && categories.value.length === 0 ? (
        <Empty title={texts.none}>
          <p>{texts.noneHint}</p>
        </Empty>
      ) : (
        <Table
          label={texts.title}
          layout="categories"
          rows={categories.value}
          idOf={({ id }) => id}
          listKey="categories"
          state={state === 'ready' ? 'complete' : state}
          message={categoriesMessage.value}
          onMore={() => void loadCategories()}
          onOpen={canWrite ? (category) => open({ is: 'edit', category }) : undefined}
          columns={[
            { heading: common.number, class: 'number', cell: ({ id }) => String(id) },
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
                  [common.edit, () => open({ is: 'edit', category })],
                  [common.delete, () => open({ is: 'delete', category })],
                ]
              : []
          }
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
          title={texts.deleteQuestion(opened.category.name)}
          yes={common.deletePermanently}
          act={async () => {
            const { id, name } = opened.category;
            await api.categories.delete(id).catch((error) => {
              // Another user has deleted it already.
              if (!isAnimalStoreError(error, 'not_found')) throw error;
            });
            dropCategory(id);
            showNotice(texts.deleted(name));
          }}
          onClose={close}
        >
          {texts.deleteHint(opened.category.id)}
        </Confirm>
      )}
    </>
  );
}
