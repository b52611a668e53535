import type { Pet, PetStatus } from '../../../client/src/contract.ts';
import type { Draft } from '../animals/members.ts';

export interface PlannedRow {
  /** Of the row in the file, from 0. It does not depend on the mapping. */
  readonly index: number;
  readonly line: number;
  readonly draft: Draft;
  /** In an update, the number of the animal that the row changes. Without one, the row adds an animal. */
  readonly animalId?: bigint | undefined;
  /** In an update, the animal as the preview showed it. */
  readonly before?: Pet | undefined;
  /** The animal of the catalogue that the row is the same as. The row is added only if the user chose so. */
  readonly found?: FoundAnimal | undefined;
}

/** An animal of the catalogue. Only its number is known if an earlier import of the file added it. */
export interface FoundAnimal {
  readonly id: bigint;
  readonly name?: string;
  readonly status?: PetStatus;
}

export interface RowFault {
  readonly index: number;
  readonly line: number;
  readonly column: string;
  readonly value: string;
  readonly reason: string;
  /** The row is left out by an answer of the user, or because it looks like a total. Nothing in it is wrong. */
  readonly isChosen?: true | undefined;
  /** The row has a word without an answer. */
  readonly isOpen?: true | undefined;
}

/** What an import does with the rows of a file. */
export interface ImportPlan {
  readonly mode: 'add' | 'update';
  /** The members that the file has. An update changes no others. */
  readonly given: readonly (keyof Draft)[];
  readonly columnNames: readonly string[];
  /** Those to be added, and those to be changed, which have an `animalId`. */
  readonly rows: readonly PlannedRow[];
  /** One for each row that is left out because of its values. */
  readonly faults: readonly RowFault[];
  /** The last rows that look like totals, which are left out. */
  readonly totals: readonly RowFault[];
  /** Valid rows that are left out because the catalogue or an earlier row has the same. */
  readonly skipped: readonly SkippedRow[];
  /** The indexes of all rows whose name and category another row has as well. */
  readonly repeated: ReadonlySet<number>;
  /** Categories to be created. Only those of an export of the console have a number. */
  readonly newCategories: readonly NewCategory[];
}

export interface SkippedRow extends PlannedRow {
  /** An earlier import of the file added an `imported` row, perhaps with other columns. So its `draft` can be blank. */
  readonly why: 'there' | 'imported' | 'repeated';
}

export interface NewCategory {
  readonly name: string;
  readonly id: bigint | undefined;
}
