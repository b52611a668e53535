import type { Command } from './command.ts';
import type { Page, PageRequest } from './page.ts';
import type { ChangeInput, RecordInput } from './record.ts';
import type { Awaitable } from './values/awaitable.ts';
import type { Context } from './values/context.ts';
import { exactInteger } from './values/exact-json.ts';
import type { Int64 } from './values/int64.ts';

export const descriptionLengthMax = 1000;

export interface NewCategory {
  readonly name: string;
  readonly description?: string | undefined;
}

/** A name for the `categoryId` of animals. An animal may have an id without a category, and a category no animals. */
export interface Category extends NewCategory {
  /** Assigned by the service, or any int64 that a client chose. */
  readonly id: Int64;
}

/** A category for `JSON.stringify`, with its members in the documented order. */
export function categoryToJson({ id, name, description }: Category): object {
  return { id: exactInteger(id), name, description };
}

export interface CategoryReads {
  /** The categories of one workspace at one moment. */
  readCategoryPage(
    context: Context,
    workspaceId: Int64,
    request: PageRequest,
  ): Awaitable<Page<Category>>;
  readCategory(context: Context, workspaceId: Int64, id: Int64): Awaitable<Category | undefined>;
  /** The lowest numbers that animals have and no category has. It searches a limited number of different numbers. */
  readUnnamedCategoryIds(
    context: Context,
    workspaceId: Int64,
    limit: number,
  ): Awaitable<readonly Int64[]>;
}

export interface CategoryCommands {
  createCategory: Command<
    RecordInput & { readonly category: NewCategory },
    Category,
    'no_such_workspace'
  >;
  /** Creates or replaces the category with this id. `isNew` is true if it was created. `invisible_name`: no character of the new name can be seen. */
  putCategory: Command<
    ChangeInput & { readonly category: NewCategory },
    { readonly category: Category; readonly isNew: boolean },
    'no_such_workspace' | 'precondition_failed' | 'invisible_name'
  >;
  /** Animals keep their `categoryId`. */
  deleteCategory: Command<ChangeInput, null, 'no_such_category' | 'precondition_failed'>;
}
