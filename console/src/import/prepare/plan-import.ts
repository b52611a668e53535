import type { Pet } from '../../../../client/src/contract.ts';
import { foldText } from '../../../../src/domain/search.ts';
import { draftOf, isSameDraft, members, newDraft } from '../../animals/members.ts';
import { categoryKey, noCategory } from '../../categories/category-choice.ts';
import { groupBy } from '../../files/group-by.ts';
import { prepareTexts as texts } from '../../texts/import.ts';
import type {
  FoundAnimal,
  ImportPlan,
  NewCategory,
  PlannedRow,
  SkippedRow,
} from '../import-plan.ts';
import { givenMembers, type Mapping } from './mapping.ts';
import type { ReadRows } from './read-rows.ts';

/** What the catalogue has already. */
export interface Matches {
  /** By the index of a row, the animal with its name and category. */
  readonly found: ReadonlyMap<number, FoundAnimal>;
  /** The animals to update, by their numbers. */
  readonly pets: ReadonlyMap<bigint, Pet>;
  /** The rows that an earlier import of the file added, with their animals. They are found, and never added. */
  readonly imported: ReadonlyMap<number, bigint>;
}

export const noMatches: Matches = { found: new Map(), pets: new Map(), imported: new Map() };

/** A plan, with the numbers of rows about which the page asks. */
export interface PreparedPlan extends ImportPlan {
  /** The indexes of rows whose animals are in the catalogue already, and which can be added as well. */
  readonly foundRows: readonly number[];
  /** Rows with the name and the category of an earlier one. */
  readonly repeatedCount: number;
  /** Rows of an update that are added, because their numbers are not in the catalogue. */
  readonly unknownCount: number;
}

/** Decides about each row: whether it is added, changes an animal, or is left out. */
export function planImport(read: ReadRows, mapping: Mapping, matches: Matches): PreparedPlan {
  const mode = mapping.mode ?? 'add';
  const given = givenMembers(mapping);
  const rows: PlannedRow[] = [];
  const skipped: SkippedRow[] = [];
  const { repeating, repeated } = findRepeated(read.rows);
  const { imported } = matches;
  for (const { index, line } of read.faults.filter((fault) => imported.has(fault.index))) {
    skipped.push({ index, line, draft: newDraft(noCategory), why: 'imported' });
  }
  const faults = read.faults.filter(({ index }) => !imported.has(index));
  let repeatedCount = 0;
  let unknownCount = 0;
  for (const row of read.rows) {
    const { index, line, draft, animalId } = row;
    const before = animalId === undefined ? undefined : matches.pets.get(animalId);
    const isFound = matches.found.has(index);
    const isRepeated = repeating.has(index) && !isFound;
    if (isRepeated) repeatedCount += 1;
    if (before !== undefined) {
      if (isSameDraft(draft, draftOf(before), given)) skipped.push({ ...row, why: 'there' });
      else rows.push({ ...row, before });
    } else if (given.length < members.length) {
      const value = String(animalId ?? '');
      faults.push({ index, line, column: 'id', value, reason: texts.notThere });
    } else if (imported.has(index)) {
      skipped.push({ ...row, why: 'imported', found: matches.found.get(index) });
    } else if (isFound && !mapping.addedFound.has(index)) {
      skipped.push({ ...row, why: 'there', found: matches.found.get(index) });
    } else if (isRepeated && mapping.repeated !== 'add') skipped.push({ ...row, why: 'repeated' });
    else {
      if (animalId !== undefined) unknownCount += 1;
      rows.push({ ...row, animalId: undefined, found: matches.found.get(index) });
    }
  }
  return {
    mode,
    given,
    columnNames: read.columnNames,
    rows,
    faults: faults.sort((one, two) => one.index - two.index),
    totals: read.totals,
    skipped,
    repeated,
    newCategories: findNewCategories(rows, read.newNumbers),
    foundRows: [...matches.found.keys()].filter((index) => !imported.has(index)),
    repeatedCount,
    unknownCount,
  };
}

/** The text by which rows for the same animal are found. */
export function rowKey({ draft: { name, category } }: Pick<PlannedRow, 'draft'>): string {
  return `${categoryKey(category)}\n${foldText(name.trim())}`;
}

/** The rows that repeat an earlier one, and these together with the earlier ones. Rows with a number repeat none. */
function findRepeated(rows: readonly PlannedRow[]) {
  const added = rows.filter(({ animalId }) => animalId === undefined);
  const groups = [...groupBy(added, rowKey).values()].filter(({ length }) => length > 1);
  return {
    repeating: new Set(groups.flatMap((group) => group.slice(1).map(({ index }) => index))),
    repeated: new Set(groups.flatMap((group) => group.map(({ index }) => index))),
  };
}

function findNewCategories(
  rows: readonly PlannedRow[],
  newNumbers: ReadRows['newNumbers'],
): readonly NewCategory[] {
  const found = new Map<string, NewCategory>();
  for (const { draft } of rows) {
    const { kind, text } = draft.category;
    const name = kind === 'new' ? text : newNumbers.get(text);
    const key = categoryKey(draft.category);
    if (name === undefined || name === '' || found.has(key)) continue;
    found.set(key, { name, id: kind === 'new' ? undefined : BigInt(text) });
  }
  return [...found.values()];
}
