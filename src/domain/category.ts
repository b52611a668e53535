import type { Command } from './database/command.ts';
import type { Sha256 } from './database/precondition.ts';
import type { WithOrigin } from './event.ts';
import type { Page, PageRequest } from './page.ts';
import type { ChangedRecord } from './record.ts';
import type { Awaitable } from './values/awaitable.ts';
import { exactInteger } from './values/exact-json.ts';
import type { Int64 } from './values/int64.ts';

export const descriptionLengthMax = 1000;

export interface NewCategory {
  readonly name: string;
  readonly description?: string | undefined;
}

/** What a number that animals bear is called. Neither needs the other. */
export interface Category extends NewCategory {
  /** Assigned, or any int64 that a client chose. */
  readonly id: Int64;
}

/** What `JSON.stringify` makes the JSON of a category of, members in the documented order. */
export function categoryToJson({ id, name, description }: Category): object {
  return { id: exactInteger(id), name, description };
}

/** Of what is stored of a category: 64 bits of a SHA-256, in hexadecimal. */
export function categoryDigest(
  workspaceId: Int64,
  { id, name, description }: Category,
  sha256: Sha256,
): string {
  const text = JSON.stringify([String(workspaceId), String(id), name, description ?? null]);
  return sha256(text).slice(0, 16);
}

export interface CategoryReads {
  /** Categories of one workspace, as they stood at one moment. */
  readCategoryPage(workspaceId: Int64, request: PageRequest): Awaitable<Page<Category>>;
  readCategory(workspaceId: Int64, id: Int64): Awaitable<Category | undefined>;
}

export interface CategoryCommands {
  createCategory: Command<
    WithOrigin & { readonly workspaceId: Int64; readonly category: NewCategory },
    Category,
    'no_such_workspace'
  >;
  /** Makes a category with this id, or puts another in its place; tells which. */
  putCategory: Command<
    ChangedRecord & { readonly category: NewCategory },
    { readonly category: Category; readonly isNew: boolean },
    'no_such_workspace' | 'precondition_failed'
  >;
  /** Animals keep its number. */
  deleteCategory: Command<ChangedRecord, null, 'no_such_category' | 'precondition_failed'>;
}
