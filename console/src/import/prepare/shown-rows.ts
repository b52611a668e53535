import { type CategoryNames, draftOf, isSame, members, showMember } from '../../animals/members.ts';
import { groupBy } from '../../files/group-by.ts';
import { prepareTexts as texts } from '../../texts/import.ts';
import type { ImportPlan, PlannedRow, RowFault } from '../import-plan.ts';
import type { Mapping, Rows } from './mapping.ts';
import type { PreparedPlan } from './plan-import.ts';

type Result = keyof typeof texts.results;
export type Filter = keyof typeof texts.filters;

/** A row of the file, with what the import does with it. */
export type ShownRow = { readonly index: number; readonly line: number } & (
  | { readonly row: PlannedRow; readonly result: Result }
  | { readonly fault: RowFault; readonly isTotal?: true }
);

/** The rows of each filter. Those of `all` are in each one of the others, or are also of `repeated`. */
export type ShownRows = Readonly<Record<Filter, readonly ShownRow[]>>;

/** What is known about all rows. Until then, the result of a row can change. */
interface Known {
  /** All questions about values are answered, and the catalogue is searched. */
  readonly isSearched: boolean;
  readonly repeated: Mapping['repeated'];
}

export function listRows(plan: PreparedPlan, { isSearched, repeated }: Known): ShownRows {
  const isRepeatedKnown = isSearched && (plan.repeatedCount === 0 || repeated !== undefined);
  const all: readonly ShownRow[] = [
    ...plan.rows.map((row) => {
      const result = row.animalId === undefined ? 'add' : 'change';
      return shownOf(row, isSearched ? result : 'undecided');
    }),
    ...plan.skipped.map((row) => {
      const isOpen = row.why === 'repeated' && !isRepeatedKnown;
      return shownOf(row, isOpen ? 'undecided' : row.why);
    }),
    ...plan.faults.map((fault) => ({ index: fault.index, line: fault.line, fault })),
    ...plan.totals.map(
      (fault) => ({ index: fault.index, line: fault.line, fault, isTotal: true }) as const,
    ),
  ].sort((one, two) => one.index - two.index);
  const lists = groupBy(all, filterOf);
  const listOf = (filter: Filter) => lists.get(filter) ?? [];
  return {
    all,
    add: listOf('add'),
    change: listOf('change'),
    there: listOf('there'),
    repeated: all.filter(({ index }) => plan.repeated.has(index)),
    undecided: listOf('undecided'),
    leftOut: listOf('leftOut'),
  };
}

function shownOf(row: PlannedRow, result: Result): ShownRow {
  return { index: row.index, line: row.line, row, result };
}

/** The filter that has a row, beside `all` and `repeated`. */
function filterOf(one: ShownRow): Filter {
  if ('fault' in one) return one.fault.isOpen ? 'undecided' : 'leftOut';
  if (one.result === 'repeated') return 'leftOut';
  return one.result === 'imported' ? 'there' : one.result;
}

/** The values that the animal of a row will have, and of a row that is left out its cells. */
export function showCells(
  one: ShownRow,
  source: {
    readonly rows: Rows;
    readonly plan: Pick<ImportPlan, 'given' | 'newCategories'>;
    readonly columns: Mapping['columns'];
    readonly names: CategoryNames;
  },
): readonly string[] {
  const { rows, columns, names } = source;
  const { given, newCategories } = source.plan;
  if ('isTotal' in one) return members.map(() => '');
  if ('fault' in one || one.result === 'imported') {
    return members.map(({ name }) => rows[one.index]?.cells[columns.get(name) ?? -1] ?? '');
  }
  const { draft, before } = one.row;
  const { category } = draft;
  // The number of a category that an export brings.
  const created = newCategories.find(({ id }) => id !== undefined && String(id) === category.text);
  const shown =
    created === undefined || category.kind === 'new'
      ? draft
      : { ...draft, category: { kind: 'new', text: created.name } as const };
  return members.map((member) => {
    const now = showMember(member, shown, names);
    if (before === undefined) return now;
    const old = showMember(member, draftOf(before), names);
    const isChanged = given.includes(member.name) && !isSame(member, draft, draftOf(before));
    return isChanged ? texts.change(old, now) : old;
  });
}

/** What the import does with a row, and why. */
export function describeResult(one: ShownRow): string {
  if ('fault' in one) {
    const { column, value, reason } = one.fault;
    return texts.faultOf(column, value.slice(0, 64), reason);
  }
  const { result, row } = one;
  const { found } = row;
  const isNamed = found?.status !== undefined && (result === 'there' || result === 'add');
  return isNamed
    ? texts.foundResults[result](String(found.id), found.status)
    : texts.results[result];
}
