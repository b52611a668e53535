import type { Category } from '../../../client/src/contract.ts';
import { isAnimalStoreError } from '../../../client/src/error.ts';
import { api } from '../api/api.ts';
import { Confirm, useDialog } from '../parts/dialog.tsx';
import { Empty, Toolbar } from '../parts/display.tsx';
import { showNotice } from '../parts/notices.tsx';
import { numberColumn, Table } from '../parts/table.tsx';
import { addressOf } from '../parts/url-state.ts';
import { may } from '../session/session.ts';
import { texts } from '../texts/categories.ts';
import { common, frame } from '../texts/common.ts';
import { categories, categoryList, dropCategory } from './categories-state.ts';
import { CategoryForm } from './category-form.tsx';

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
