import { computed } from '@preact/signals';
import { parseInteger } from '../api/integer.ts';
import { nameFault } from '../api/names.ts';
import { currentApi } from '../api/session.ts';
import { ComboboxField } from '../parts/combobox/combobox.tsx';
import type { Option } from '../parts/combobox/options.ts';
import { texts } from '../texts/categories.ts';
import { common } from '../texts/common.ts';
import { CategoriesFault } from './categories-fault.tsx';
import { categories, categoryList, findCategory, findReadCategory } from './categories-state.ts';
import { type CategoryChoice, fromValue, toValue } from './category-choice.ts';

export function categoryFault({ kind, text }: CategoryChoice): string | undefined {
  if (kind === 'new') {
    const known = findCategory(text);
    return known === undefined ? nameFault(text) : texts.newNameTaken(known.name);
  }
  return text === '' ? texts.chooseFault : undefined;
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

/** The categories with a name, as options. */
export const categoryOptions = computed<readonly Option[]>(() =>
  categories.value.map(({ id, name }) => ({
    value: toValue({ kind: 'number', text: String(id) }),
    text: name,
    hint: String(id),
  })),
);

/** A category without a name, or a new one. */
export function optionOf(choice: CategoryChoice): Option {
  const { kind, text } = choice;
  return { value: toValue(choice), text: kind === 'new' ? texts.new(text) : texts.unnamed(text) };
}

/** A name can become a category, and any number can be one. */
function optionsOf(typed: string): readonly Option[] {
  const number = parseInteger(typed);
  const asNumber = number === undefined ? [] : [{ kind: 'number', text: String(number) } as const];
  return [...asNumber, { kind: 'new', text: typed } as const].map(optionOf);
}

/** The field for a category, which can be new. */
export function CategoryPicker(props: {
  readonly value: CategoryChoice;
  readonly onInput: (choice: CategoryChoice) => void;
  readonly fault: string | undefined;
}) {
  const { value, onInput, fault } = props;
  const known = categoryOptions.value;
  const isListed = value.text === '' || known.some((option) => option.value === toValue(value));
  return (
    <>
      <ComboboxField
        label={common.category}
        hint={texts.chooseHint}
        fault={fault}
        placeholder={categoryList.state.value === 'loading' ? common.loading : texts.choose}
        value={toValue(value)}
        options={isListed ? known : [...known, optionOf(value)]}
        optionsOf={optionsOf}
        onSelect={(chosen) => onInput(fromValue(chosen))}
      />
      <CategoriesFault />
    </>
  );
}
