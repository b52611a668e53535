import type { PetStatus } from '../../../client/src/contract.ts';
import { defaultPetStatus, petStatuses } from '../../domain/pet.ts';
import { comparableText } from '../../domain/search.ts';
import { parseInteger } from '../api/integer.ts';
import { nameFault } from '../api/names.ts';
import { type Csv, plainCell } from './csv.ts';

/** Which column holds what; undefined where none does. */
export interface Mapping {
  /** Whether the first row names the columns; undefined until somebody has said so. */
  readonly hasHeader: boolean | undefined;
  readonly name: number | undefined;
  readonly category: number | undefined;
  readonly status: number | undefined;
  /** What the words of a file for a status mean, in lower case, beside those of the service. */
  readonly statusWords: ReadonlyMap<string, PetStatus>;
}

/** A category as a file tells it: by its number, or by a name that may be new. */
export type ToldCategory = { readonly id: bigint } | { readonly newName: string };

export interface PlannedRow {
  /** Of the file, from 0: a row keeps it however the columns are mapped. */
  readonly index: number;
  readonly line: number;
  readonly name: string;
  /** Undefined where one category is chosen for all. */
  readonly category: ToldCategory | undefined;
  readonly status: PetStatus;
}

export interface RowFault {
  readonly index: number;
  readonly line: number;
  readonly column: string;
  readonly value: string;
  readonly reason: string;
}

export interface ImportPlan {
  /** Such as say what the columns hold, and for the others those of the file. */
  readonly columnNames: readonly string[];
  readonly rows: readonly PlannedRow[];
  /** One for each row that is left out. */
  readonly faults: readonly RowFault[];
  /** Names of categories that are not there yet. */
  readonly newCategories: readonly string[];
  /** The first words for a status that are not the service's, whether or not it was said what they mean. */
  readonly foreignStatuses: readonly string[];
}

/** Of those that somebody is asked to say what they mean. */
const foreignStatusesMax = 12;

const ownStatusWords: ReadonlyMap<string, PetStatus> = new Map([
  ['', defaultPetStatus],
  ...petStatuses.map((status) => [status, status] as const),
]);

/** How a column is called that holds it, the surest first. */
const aliases = {
  name: ['name', 'animal', 'animal name', 'pet', 'pet name', 'title'],
  category: ['categoryid', 'category id', 'category_id', 'category', 'kind', 'species', 'type'],
  status: ['status', 'state', 'availability'],
} as const;

/** What the columns are likely to hold, by their names. */
export function guessMapping({ rows }: Csv): Mapping {
  const header = (rows[0]?.cells ?? []).map((cell) => cell.trim().toLowerCase());
  const find = (names: readonly string[]) =>
    names.map((name) => header.indexOf(name)).find((index) => index >= 0);
  const name = find(aliases.name);
  const category = find(aliases.category);
  const status = find(aliases.status);
  const isNamed = name !== undefined || category !== undefined || status !== undefined;
  // Headings in another language look like an animal.
  return {
    hasHeader: isNamed ? true : undefined,
    name: header.length === 1 ? 0 : name,
    category,
    status,
    statusWords: new Map(),
  };
}

/** Finds a category that is there by its name; `unknown` where not all of them could be read. */
export type FindCategory = (name: string) => bigint | 'unknown' | undefined;

/** What would be added, and what is wrong with the rest. */
export function planImport({ rows }: Csv, mapping: Mapping, idOfName: FindCategory): ImportPlan {
  const planned: PlannedRow[] = [];
  const faults: RowFault[] = [];
  const newNames = new Map<string, string>();
  const foreign = new Set<string>();
  const names = nameColumns(rows[0]?.cells ?? [], mapping);
  const header = mapping.hasHeader ? (rows[0]?.cells ?? []) : names;
  const { name, category, status } = mapping;
  const width = Math.max(header.length, (name ?? 0) + 1, (category ?? 0) + 1, (status ?? 0) + 1);
  for (const [index, { line, cells }] of isMapped(mapping) ? rows.entries() : []) {
    if (mapping.hasHeader && index === 0) continue;
    const surplus = findSurplus(cells, width);
    const word = statusWordOf(cells, mapping);
    const isForeign = surplus === undefined && !ownStatusWords.has(word);
    if (isForeign && foreign.size < foreignStatusesMax) foreign.add(word);
    const told = surplus ?? readRow(cells, mapping, idOfName);
    if ('reason' in told) {
      const column = header[told.column]?.trim() || columnName(told.column);
      faults.push({ index, line, column, value: cells[told.column] ?? '', reason: told.reason });
      continue;
    }
    if (told.category !== undefined && 'newName' in told.category) {
      const key = comparableText(told.category.newName);
      if (!newNames.has(key)) newNames.set(key, told.category.newName);
    }
    planned.push({ index, line, ...told });
  }
  return {
    columnNames: names,
    rows: planned,
    faults,
    newCategories: [...newNames.values()],
    foreignStatuses: [...foreign],
  };
}

function statusWordOf(cells: readonly string[], { status }: Mapping): string {
  const cell = status === undefined ? '' : (cells[status] ?? '');
  return plainCell(cell).trim().toLowerCase();
}

/** Whether it was said what is to be known of the columns before anything can be added. */
export function isMapped({ hasHeader, name }: Mapping): boolean {
  return hasHeader !== undefined && name !== undefined;
}

/** A text with the separator in it, and not in quotes, would lose what comes after it. */
function findSurplus(cells: readonly string[], width: number): Refused | undefined {
  const column = cells.findIndex((cell, index) => index >= width && cell.trim() !== '');
  return column < 0
    ? undefined
    : {
        column,
        reason:
          'The row has more columns than the first one: put a text with a separator in quotes.',
      };
}

export function columnName(index: number): string {
  return `Column ${index + 1}`;
}

const fieldNames = ['name', 'category', 'status'] as const;
/** Of a column that is not mapped, none of these says any more what it holds. */
const takenNames: readonly string[] = Object.values(aliases).flat();

function nameColumns(
  first: readonly string[],
  { hasHeader, name, category, status }: Mapping,
): readonly string[] {
  const mapped = [name, category, status];
  return first.map((cell, index) => {
    const field = fieldNames[mapped.indexOf(index)];
    if (field !== undefined) return field;
    const isFree = hasHeader && !takenNames.includes(cell.trim().toLowerCase());
    return (isFree && cell.trim()) || columnName(index);
  });
}

type Told = Pick<PlannedRow, 'name' | 'category' | 'status'>;
type Refused = { readonly column: number; readonly reason: string };

function readRow(
  cells: readonly string[],
  mapping: Mapping,
  idOfName: FindCategory,
): Told | Refused {
  const cellOf = (column: number) => plainCell(cells[column] ?? '');
  const nameColumn = mapping.name ?? 0;
  const name = cellOf(nameColumn);
  const reason = nameFault(name);
  if (reason !== undefined) return { column: nameColumn, reason };
  const category =
    mapping.category === undefined
      ? undefined
      : readCategory(cellOf(mapping.category), mapping.category, idOfName);
  if (category !== undefined && 'reason' in category) return category;
  const word = statusWordOf(cells, mapping);
  const status = ownStatusWords.get(word) ?? mapping.statusWords.get(word);
  if (status === undefined) {
    return {
      column: mapping.status ?? 0,
      reason: 'Write available, pending or sold; or say what the word means.',
    };
  }
  return { name, category, status };
}

function readCategory(
  text: string,
  column: number,
  idOfName: FindCategory,
): ToldCategory | Refused {
  const trimmed = text.trim();
  if (trimmed === '') return { column, reason: 'Give a category, by its number or its name.' };
  const id = parseInteger(trimmed) ?? idOfName(trimmed);
  if (id === 'unknown') {
    return { column, reason: 'Give its number: not all names of categories could be read.' };
  }
  if (id !== undefined) return { id };
  if (/^-?\d+(?:[.,]\d+)?e\+?\d+$/i.test(trimmed)) {
    return {
      column,
      reason:
        'Excel has shortened this number, and its last digits are lost. Format the column as text in the spreadsheet, and save it again.',
    };
  }
  if (/^-?[\d.,\s]+$/.test(trimmed))
    return { column, reason: 'This is no whole number of 64 bits.' };
  const reason = nameFault(trimmed);
  return reason === undefined ? { newName: trimmed } : { column, reason };
}
