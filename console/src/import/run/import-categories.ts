import type { Category } from '../../../../client/src/contract.ts';
import { comparableName } from '../../../../src/domain/name.ts';
import { errorOf, sendRows, type Waiting } from '../../api/send-rows.ts';
import { type CategoryChoice, categoryKey } from '../../categories/category-choice.ts';
import type { RowResult } from '../../contract.ts';
import type { ImportPlan, NewCategory } from '../import-plan.ts';
import type { Service } from './import-record.ts';

/** The categories that the page knows. */
export interface KnownCategories {
  readonly findCategory: (name: string) => Pick<Category, 'id'> | undefined;
  readonly categoryName: (id: bigint) => string | undefined;
  readonly onCreated: (category: Category) => void;
}

interface CategoriesRun extends Waiting {
  readonly plan: Pick<ImportPlan, 'newCategories'>;
  readonly digest: string;
  readonly service: Pick<Service, 'callConsole'>;
  readonly categories: KnownCategories;
}

/** Creates the new categories of an import. Returns what finds the number of a choice. */
export async function createCategories(
  run: CategoriesRun,
): Promise<(choice: CategoryChoice) => bigint> {
  const { plan, digest, service, categories } = run;
  const ids = new Map<string, bigint>();
  const keyOf = ({ name, id }: NewCategory) =>
    categoryKey(
      id === undefined ? { kind: 'new', text: name } : { kind: 'number', text: String(id) },
    );
  const wanted: NewCategory[] = [];
  for (const category of plan.newCategories) {
    const existing = findExisting(categories, category);
    if (existing === undefined) wanted.push(category);
    else ids.set(keyOf(category), existing);
  }
  const refused: RowResult[] = [];
  await sendRows(wanted, {
    ...run,
    send: (sent, options) => {
      const rows = sent.map(({ name, id }) => ({ category: { name }, id }));
      const input = { parameters: { source: digest }, body: { rows } };
      return service.callConsole('importCategories', input, options);
    },
    onResults(results) {
      for (const [category, result] of results) {
        const { id } = result;
        if (id === undefined) refused.push(result);
        else {
          ids.set(keyOf(category), id);
          categories.onCreated({ id, name: category.name });
        }
      }
    },
  });
  for (const result of refused) throw errorOf(result);
  return (choice) => ids.get(categoryKey(choice)) ?? BigInt(choice.text);
}

/** Another user may have created the category after the file was chosen, or another one with its number. */
function findExisting(
  { findCategory, categoryName }: KnownCategories,
  { name, id }: NewCategory,
): bigint | undefined {
  const nameOfId = id === undefined ? undefined : categoryName(id);
  if (nameOfId !== undefined && comparableName(nameOfId) === comparableName(name)) return id;
  const isFree = id !== undefined && nameOfId === undefined;
  return isFree ? undefined : findCategory(name)?.id;
}
