import type { Category } from '../../../client/src/contract.ts';
import type { api } from '../api/api.ts';
import { parseInteger } from '../api/integer.ts';
import { nameFault } from '../api/names.ts';
import { Field, TextField } from '../parts/parts.tsx';
import { categories, findCategory, putCategory } from './categories-state.ts';

/** What was chosen: a category by its number, a new one by its name, or any number. */
export interface CategoryChoice {
  readonly kind: 'known' | 'new' | 'number';
  /** The number, or the name of a new one. */
  readonly text: string;
}

export function chooseCategory(id: bigint | undefined): CategoryChoice {
  if (id === undefined) {
    const [first] = categories.peek();
    return first === undefined
      ? { kind: 'new', text: '' }
      : { kind: 'known', text: String(first.id) };
  }
  const isKnown = categories.peek().some((category) => category.id === id);
  return { kind: isKnown ? 'known' : 'number', text: String(id) };
}

export function categoryFault({ kind, text }: CategoryChoice): string | undefined {
  if (kind === 'new') {
    const known = findCategory(text);
    return known === undefined
      ? nameFault(text)
      : `There is ${known.name} already: choose it above.`;
  }
  if (kind === 'known' && text === '') return 'Choose a category.';
  return parseInteger(text) === undefined
    ? 'Give the number of the category, such as 7.'
    : undefined;
}

/** The number of what was chosen; a new category is made first, once for each key. */
export async function settleCategory(
  { kind, text }: CategoryChoice,
  idempotencyKey: string,
  { categories: own }: Pick<typeof api, 'categories'>,
  signal?: AbortSignal,
): Promise<bigint> {
  if (kind !== 'new') return parseInteger(text) ?? 0n;
  // Made since it was asked for, here or elsewhere.
  const known = findCategory(text);
  if (known !== undefined) return known.id;
  const made: Category = await own.create({ name: text }, { idempotencyKey, signal });
  putCategory(made);
  return made.id;
}

export function CategoryPicker(props: {
  readonly choice: CategoryChoice;
  readonly onChoice: (choice: CategoryChoice) => void;
  readonly fault: string | undefined;
}) {
  const { choice, onChoice, fault } = props;
  const isKnown = categories.value.some(({ id }) => String(id) === choice.text);
  return (
    <>
      <Field label="Category" fault={choice.kind === 'known' ? fault : undefined}>
        {(attributes) => (
          <select
            {...attributes}
            value={choice.kind === 'known' ? choice.text : choice.kind}
            onChange={(event) => {
              const { value } = event.currentTarget;
              if (value === 'new' || value === 'number') onChoice({ kind: value, text: '' });
              else onChoice({ kind: 'known', text: value });
            }}
          >
            {categories.value.map(({ id, name }) => (
              <option key={String(id)} value={String(id)}>
                {name}
              </option>
            ))}
            {choice.kind === 'known' && !isKnown && (
              <option value={choice.text}>
                {choice.text === '' ? 'Choose a category' : `${choice.text} (deleted meanwhile)`}
              </option>
            )}
            <option value="new">New category…</option>
            <option value="number">Another number…</option>
          </select>
        )}
      </Field>
      {choice.kind === 'new' && (
        <TextField
          label="Name of the new category"
          value={choice.text}
          hint="Such as Dogs, or Rabbits"
          fault={fault}
          onInput={(text) => onChoice({ kind: 'new', text })}
        />
      )}
      {choice.kind === 'number' && (
        <TextField
          label="Number of the category"
          value={choice.text}
          isNumber
          fault={fault}
          onInput={(text) => onChoice({ kind: 'number', text })}
        />
      )}
    </>
  );
}
