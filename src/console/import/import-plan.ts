import type { PetStatus } from '../../../client/src/contract.ts';
import { comparableName } from '../../domain/name.ts';
import {
  type CellFault,
  type Draft,
  knownStatusOf,
  members,
  newDraft,
  type ReadContext,
  statusWordOf,
} from '../animals/members.ts';
import { noCategory } from '../categories/category-choice.ts';
import { plainCell } from '../parts/csv.ts';
import { prepareTexts as texts } from '../texts/import.ts';
import type { Table, TableRow } from './import-file.ts';

/** What the columns of a file contain. */
export interface Mapping {
  /** Whether the first row names the columns; undefined until the user has chosen. */
  readonly hasHeader: boolean | undefined;
  /** The index of the column of each member that has one. */
  readonly columns: ReadonlyMap<keyof Draft, number>;
  /** The statuses of other words in the file, which are in lower case. */
  readonly statusWords: ReadonlyMap<string, PetStatus>;
}

export interface PlannedRow {
  /** Of the row in the file, from 0. It does not depend on the mapping. */
  readonly index: number;
  readonly line: number;
  /** Without a column for them, the category of all rows is chosen later. */
  readonly draft: Draft;
}

export interface RowFault {
  readonly index: number;
  readonly line: number;
  readonly column: string;
  readonly value: string;
  readonly reason: string;
}

export interface ImportPlan {
  /** The name of the member in each mapped column, and of the other columns their own. */
  readonly columnNames: readonly string[];
  readonly rows: readonly PlannedRow[];
  /** One for each row that is left out. */
  readonly faults: readonly RowFault[];
  /** Names of categories that do not exist yet. */
  readonly newCategories: readonly string[];
  /** The first status words that the service does not know, also those that the mapping knows. */
  readonly unknownStatusWords: readonly string[];
}

/** The user chooses the meaning of at most this many words. */
const statusWordsMax = 12;

/** Guesses the content of the columns by their names. */
export function guessMapping({ rows }: Pick<Table, 'rows'>): Mapping {
  const header = (rows[0]?.cells ?? []).map((cell) => cell.trim().toLowerCase());
  const columns = new Map<keyof Draft, number>();
  for (const { name, headings } of members) {
    const column = headings.map((heading) => header.indexOf(heading)).find((index) => index >= 0);
    if (column !== undefined) columns.set(name, column);
  }
  // Headings in another language look like an animal.
  const hasHeader = columns.size > 0 ? true : undefined;
  if (header.length === 1) columns.set('name', 0);
  return { hasHeader, columns, statusWords: new Map() };
}

/** The rows that an import adds, and the faults of the others. */
export function planImport(
  { rows }: Pick<Table, 'rows'>,
  mapping: Mapping,
  idOf: ReadContext['idOf'],
): ImportPlan {
  const planned: PlannedRow[] = [];
  const faults: RowFault[] = [];
  const newNames = new Map<string, string>();
  const unknownWords = new Set<string>();
  const names = nameColumns(rows[0]?.cells ?? [], mapping);
  const header = mapping.hasHeader ? (rows[0]?.cells ?? []) : names;
  const width = Math.max(header.length, ...[...mapping.columns.values()].map((index) => index + 1));
  for (const [index, row] of isMapped(mapping) ? rows.entries() : []) {
    if (mapping.hasHeader && index === 0) continue;
    const { line, cells } = row;
    const surplus = findSurplusCell(cells, width);
    const word = statusWordOf(plainCell(cells[mapping.columns.get('status') ?? -1] ?? ''));
    const isUnknown = surplus === undefined && knownStatusOf(word) === undefined;
    if (isUnknown && unknownWords.size < statusWordsMax) unknownWords.add(word);
    const { statusWords } = mapping;
    const read = surplus ?? readRow(row, mapping, { idOf, statusWords });
    if ('reason' in read) {
      const column = header[read.column]?.trim() || texts.column(read.column + 1);
      faults.push({ index, line, column, value: cells[read.column] ?? '', reason: read.reason });
      continue;
    }
    const { kind, text } = read.draft.category;
    const key = comparableName(text);
    if (kind === 'new' && !newNames.has(key)) newNames.set(key, text);
    planned.push({ index, line, draft: read.draft });
  }
  return {
    columnNames: names,
    rows: planned,
    faults,
    newCategories: [...newNames.values()],
    unknownStatusWords: [...unknownWords],
  };
}

/** Whether the columns are known well enough to add animals. */
export function isMapped({ hasHeader, columns }: Mapping): boolean {
  return hasHeader !== undefined && columns.has('name');
}

interface FaultInColumn extends CellFault {
  readonly column: number;
}

/** An unquoted text with a separator in it would lose the part after the separator. */
function findSurplusCell(cells: readonly string[], width: number): FaultInColumn | undefined {
  const column = cells.findIndex((cell, index) => index >= width && cell.trim() !== '');
  return column < 0 ? undefined : { column, reason: texts.tooManyCells };
}

function nameColumns(first: readonly string[], { hasHeader, columns }: Mapping): readonly string[] {
  const memberOf = (index: number) => members.find(({ name }) => columns.get(name) === index);
  // The heading of a column that is not mapped must not look like that of a member.
  const taken = members.flatMap(({ headings }) => headings);
  return first.map((cell, index) => {
    const isFree = hasHeader && !taken.includes(cell.trim().toLowerCase());
    return memberOf(index)?.name ?? ((isFree && cell.trim()) || texts.column(index + 1));
  });
}

function readRow(
  { cells, faults }: TableRow,
  { columns }: Mapping,
  context: ReadContext,
): { readonly draft: Draft } | FaultInColumn {
  let draft = newDraft(noCategory);
  for (const { name, read } of members) {
    const column = columns.get(name);
    if (column === undefined) continue;
    const reason = faults?.get(column);
    if (reason !== undefined) return { column, reason };
    const found = read(draft, plainCell(cells[column] ?? ''), context);
    if ('reason' in found) return { column, ...found };
    draft = found;
  }
  return { draft };
}
