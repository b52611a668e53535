import { z } from 'zod';
import { fail } from '../../answer/answer.ts';
import { int64Schema } from '../schemas.ts';

/** The path parameter of operations on one category. */
export const categoryPath = z.object({
  categoryId: int64Schema.meta({
    param: { description: 'The `id` of the category.', example: 7 },
  }),
});

/** The failure for each refusal of a command on one category. */
export const categoryRefusals = {
  no_such_category: (id: bigint) => fail('not_found', `There is no category ${id}`),
};
