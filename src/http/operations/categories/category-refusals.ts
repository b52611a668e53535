import { z } from 'zod';
import type { CommandRefusal } from '../../../domain/database/commands.ts';
import { workspaceGone } from '../../access/authenticate.ts';
import { type Failure, fail } from '../../answer/answer.ts';
import { preconditionFailed } from '../../request/precondition.ts';
import { int64Schema } from '../schemas.ts';

/** Path parameters of what is about one category. */
export const categoryPath = z.object({
  categoryId: int64Schema.meta({
    param: { description: 'The `id` of the category.', example: 7 },
  }),
});

interface CategoryInput {
  readonly path: z.infer<typeof categoryPath>;
}

/** What is answered where a category is not changed. */
export function refuseCategory(
  refusal: CommandRefusal<'putCategory' | 'deleteCategory'>,
  { path: { categoryId } }: CategoryInput,
): Failure {
  if (refusal === 'no_such_category') return noSuchCategory(categoryId);
  return refusal === 'no_such_workspace' ? workspaceGone : preconditionFailed('category');
}

export function noSuchCategory(categoryId: bigint): Failure {
  return fail('not_found', `There is no category ${categoryId}`);
}
