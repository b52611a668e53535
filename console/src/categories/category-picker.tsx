import { useEffect } from 'preact/hooks';
import { parseInteger } from '../api/integer.ts';
import { nameFault } from '../api/names.ts';
import { currentApi } from '../api/session.ts';
import { SelectField, TextField } from '../parts/controls.tsx';
import { texts } from '../texts/categories.ts';
import { common } from '../texts/common.ts';
import { CategoriesFault } from './categories-fault.tsx';
import { categories, categoryList, findCategory, findReadCategory } from './categories-state.ts';
import { type CategoryChoice, noCategory } from './category-choice.ts';

const newCategory: CategoryChoice = { kind: 'new', text: '' };

/** Without categories, only a new one can be chosen. */
function isFirst(): boolean {
  return categoryList.state.value === 'complete' && categories.value.length === 0;
}

/** The choice of a form that opens: none, or a new category if there are no others. */
export function initialCategory(): CategoryChoice {
  return isFirst() ? newCategory : noCategory;
}

export function categoryFault({ kind, text }: CategoryChoice): string | undefined {
  if (kind === 'new') {
    const known = findCategory(text);
    return known === undefined ? nameFault(text) : texts.newNameTaken(known.name);
  }
  if (kind === 'known' && text === '') return texts.chooseFault;
  return parseInteger(text) === undefined ? texts.numberFault : undefined;
}

/** The number of the choice of a form. A new category is created first. */
export async function ensureCategory(
  { kind, text }: CategoryChoice,
  idempotencyKey: string,
): Promise<bigint> {
  if (kind !== 'new') return parseInteger(text) ?? 0n;
  // It may exist already, perhaps since an earlier attempt.
  const known = await findReadCategory(text);
  if (known !== undefined) return known.id;
  return (await currentApi().categories.create({ name: text }, { idempotencyKey })).id;
}

export function CategoryPicker(props: {
  readonly value: CategoryChoice;
  readonly onInput: (choice: CategoryChoice) => void;
  readonly fault: string | undefined;
}) {
  const { value, onInput, fault } = props;
  const { kind, text } = value;
  const isListed = categories.value.some(({ id }) => String(id) === text);
  const isLoading = categoryList.state.value === 'loading';
  const choose = isLoading ? common.loading : texts.choose;
  const missing = text === '' ? choose : texts.unnamed(text);
  const isNew = isFirst() && kind === 'known' && text === '';
  // The form was opened before the categories were read.
  useEffect(() => {
    if (isNew) onInput(newCategory);
  }, [isNew]);
  return (
    <>
      <SelectField
        label={common.category}
        fault={kind === 'known' ? fault : undefined}
        value={kind === 'known' ? text : kind}
        options={[
          ...(kind === 'known' && !isListed ? [[text, missing] as const] : []),
          ...categories.value.map(({ id, name }) => [String(id), name] as const),
          ['new', texts.new],
          ['number', texts.otherNumber],
        ]}
        onSelect={(chosen) => {
          if (chosen === 'new' || chosen === 'number') onInput({ kind: chosen, text: '' });
          else onInput({ kind: 'known', text: chosen });
        }}
      />
      <CategoriesFault />
      {kind === 'new' && (
        <TextField
          label={texts.newName}
          value={text}
          hint={texts.newNameHint}
          fault={fault}
          onInput={(name) => onInput({ kind: 'new', text: name })}
        />
      )}
      {kind === 'number' && (
        <TextField
          label={texts.number}
          value={text}
          isNumber
          fault={fault}
          onInput={(number) => onInput({ kind: 'number', text: number })}
        />
      )}
    </>
  );
}
