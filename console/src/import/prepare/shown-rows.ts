import { type CategoryNames, draftOf, isSame, members, showMember } from '../../animals/members.ts';
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
  const shownOf = (row: PlannedRow, result: Result): ShownRow => {
    const { index, line } = row;
    return { index, line, row, result };
  };
  const faultOf = (fault: RowFault): ShownRow => {
    const { index, line } = fault;
    return { index, line, fault };
  };
  const isKnown = isSearched && (plan.repeatedCount === 0 || repeated !== undefined);
  const there = plan.skipped
    .filter(({ why }) => why === 'there')
    .map((row) => shownOf(row, row.isImported ? 'imported' : 'there'));
  const repeating = plan.skipped
    .filter(({ why }) => why === 'repeated')
    .map((row) => shownOf(row, isKnown ? 'repeated' : 'undecided'));
  const planned = plan.rows.map((row) => {
    const result = row.animalId === undefined ? 'add' : 'change';
    return shownOf(row, isSearched ? result : 'undecided');
  });
  const openFaults = plan.faults.filter(({ isOpen }) => isOpen).map(faultOf);
  const leftOut = [
    ...plan.faults.filter(({ isOpen }) => !isOpen).map(faultOf),
    ...plan.totals.map((fault) => ({ ...faultOf(fault), fault, isTotal: true }) as const),
  ];
  const having = (result: Result) =>
    [...planned, ...repeating].filter((one) => 'row' in one && one.result === result);
  const all = [...there, ...repeating, ...planned, ...openFaults, ...leftOut].sort(byIndex);
  return {
    all,
    add: having('add'),
    change: having('change'),
    there,
    repeated: all.filter(({ index }) => plan.repeated.has(index)),
    undecided: [...having('undecided'), ...openFaults].sort(byIndex),
    leftOut: [...having('repeated'), ...leftOut].sort(byIndex),
  };
}

function byIndex(one: ShownRow, two: ShownRow): number {
  return one.index - two.index;
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
