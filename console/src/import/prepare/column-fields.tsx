import { petStatuses } from '../../../../src/domain/pet.ts';
import { type Draft, members } from '../../animals/members.ts';
import { noCategory } from '../../categories/category-choice.ts';
import { CategoryPicker, categoryFault } from '../../categories/category-picker.tsx';
import { SelectField } from '../../parts/controls.tsx';
import { common } from '../../texts/common.ts';
import { prepareTexts as texts } from '../../texts/import.ts';
import { isFilled } from './headings.ts';
import {
  columnName,
  countColumns,
  exportedColumnsOf,
  givenMembers,
  headingsOf,
  type Mapping,
  type Rows,
} from './mapping.ts';

type Options = readonly (readonly [value: string, text: string])[];

/** The value of a select for a member that has no column, but one value for all rows. */
const forAll = 'all';

/** Asks which column has which member. A member without a column can have one value for all rows. */
export function ColumnFields(props: {
  readonly rows: Rows;
  readonly mapping: Mapping;
  readonly onMapping: (change: Partial<Mapping>) => void;
  readonly showsFaults: boolean;
}) {
  const { rows, mapping, onMapping, showsFaults } = props;
  const { columns } = mapping;
  const { category, status } = mapping.forAll;
  const headings = headingsOf(rows, mapping.headingRow);
  const nameOf = (column: number) => columnName(headings, column).slice(0, 80);
  const columnCount = Math.max(countColumns(rows), headings.length);
  const columnOptions = Array.from({ length: columnCount }, (_none, column) => {
    return [String(column), nameOf(column)] as const;
  });
  const allOptions: Readonly<Record<keyof Draft, Options>> = {
    name: [],
    category: [[forAll, texts.oneCategory]],
    status: petStatuses.map((one) => [forAll + one, texts.allStatus(one)]),
  };
  const answerOf = (name: keyof Draft): string => {
    const column = columns.get(name);
    if (column !== undefined) return String(column);
    if (name === 'status' && status !== undefined) return forAll + status;
    return name === 'category' && category !== undefined ? forAll : '';
  };
  const select = (name: keyof Draft, value: string) => {
    const nextColumns = new Map(columns);
    nextColumns.delete(name);
    if (/^\d+$/.test(value)) nextColumns.set(name, Number(value));
    const others = { ...mapping.forAll, [name]: undefined };
    const chosenStatus = petStatuses.find((one) => forAll + one === value);
    onMapping({
      columns: nextColumns,
      forAll: {
        ...others,
        ...(value === forAll && { category: noCategory }),
        ...(chosenStatus !== undefined && { status: chosenStatus }),
      },
    });
  };
  const isUpdate = mapping.mode === 'update';
  // Before, an unused column can still be the one to be chosen.
  const isComplete = isUpdate || givenMembers(mapping).length === members.length;
  const unused = findUnused(rows, mapping).map(nameOf);
  return (
    <>
      <div class="mapping">
        {members.map(({ name }) => {
          const value = answerOf(name);
          return (
            <SelectField
              key={name}
              label={texts.columnOf(common[name])}
              value={value}
              options={[
                ...(isUpdate ? [['', texts.unchanged] as const] : []),
                ...(value === '' && !isUpdate ? [['', texts.choose] as const] : []),
                ...columnOptions,
                ...allOptions[name],
              ]}
              fault={showsFaults && value === '' && !isUpdate ? texts.chooseFault : undefined}
              onSelect={(chosen) => select(name, chosen)}
            />
          );
        })}
        {category !== undefined && (
          <CategoryPicker
            value={category}
            fault={showsFaults ? categoryFault(category) : undefined}
            onInput={(chosen) => onMapping({ forAll: { ...mapping.forAll, category: chosen } })}
          />
        )}
      </div>
      {isComplete && unused.length > 0 && (
        <p class="hint">{texts.notImported(unused.join(', '))}</p>
      )}
    </>
  );
}

/** The columns that have something, and that the import does not read. */
function findUnused(rows: Rows, mapping: Mapping): readonly number[] {
  const { id, categoryName } = exportedColumnsOf(rows, mapping);
  const used = [...mapping.columns.values(), categoryName, mapping.mode === 'update' ? id : -1];
  const indexes = Array.from({ length: countColumns(rows) }, (_none, index) => index);
  const first = Math.max(0, mapping.headingRow ?? rows.length);
  const shown = rows.slice(first, first + 100);
  return indexes.filter(
    (index) => !used.includes(index) && shown.some(({ cells }) => isFilled(cells[index] ?? '')),
  );
}
