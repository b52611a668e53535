import type { NewCategory } from './category.ts';
import type { Command } from './command.ts';
import type { NewPet } from './pet.ts';
import type { RecordInput } from './record.ts';
import type { Awaitable } from './values/awaitable.ts';
import type { Context } from './values/context.ts';
import type { Int64 } from './values/int64.ts';

/** How long an import is kept after its last row. */
export const importMilliseconds = 30 * 24 * 3_600_000;

/** A record as an import added it. */
export interface ImportedRecord {
  readonly id: Int64;
  /** Of the record when it was added. */
  readonly version: string;
}

/** A row of a file and the animal that was added for it. */
export interface ImportedRow {
  readonly row: number;
  readonly id: Int64;
  /** False if the animal was deleted since. */
  readonly exists: boolean;
}

/** A part of what an import added. */
interface ImportPage {
  /** In the order of the file. */
  readonly rows: readonly ImportedRow[];
  /** The row that the next page starts after. Undefined on the last page. */
  readonly nextAfterRow: number | undefined;
}

export interface ImportReads {
  /** The rows after one of them for which an import added animals. `source` is the SHA-256 of the file and its sheet. */
  readImportedRows(
    context: Context,
    workspaceId: Int64,
    source: string,
    page: { readonly limit: number; readonly afterRow: number },
  ): Awaitable<ImportPage>;
  /** The categories that an import added and that still exist, at most `limit`. */
  readImportedCategories(
    context: Context,
    workspaceId: Int64,
    source: string,
    limit: number,
  ): Awaitable<readonly ImportedRecord[]>;
  /** The animals that an import added for these rows, by the row. */
  findImportedPets(
    context: Context,
    workspaceId: Int64,
    source: string,
    rows: readonly number[],
  ): Promise<ReadonlyMap<number, ImportedRecord>>;
}

/** `isNew` is false if the import had added the record before. */
type Imported = ImportedRecord & { readonly isNew: boolean };

/** Input of a command that adds a record for an import. */
export interface ImportInput extends RecordInput {
  /** The SHA-256 of the file and its sheet, in hexadecimal. */
  readonly source: string;
  /** Milliseconds since 1970. */
  readonly now: number;
}

export interface ImportCommands {
  /** Adds the animal of a row once. `replaces` is the id of the row's animal, which was deleted: the row then gets another one. */
  importPet: Command<
    ImportInput & {
      readonly row: number;
      readonly pet: NewPet;
      readonly replaces?: Int64 | undefined;
    },
    Imported,
    'no_such_workspace'
  >;
  /**
   * Adds a category once, unless the one that the import added has another name by now. `id` is the wanted number. If a category has
   * it, the new one gets another.
   */
  importCategory: Command<
    ImportInput & { readonly category: NewCategory; readonly id?: Int64 | undefined },
    Imported,
    'no_such_workspace'
  >;
  /** Deletes an import that has expired, or a part of it. Returns whether there can be more. `rowsMax` keeps the transaction short. */
  deleteExpiredImport: Command<{ readonly now: number; readonly rowsMax: number }, boolean>;
}
