import { z } from 'zod';
import { fail } from '../../answer/answer.ts';
import { int64Schema } from '../schemas.ts';

/** The path parameter of operations on one animal. */
export const petPath = z.object({
  petId: int64Schema.meta({ param: { description: 'The `id` of the animal.', example: 1 } }),
});

/** The failure for each refusal of a command on one animal. */
export const petRefusals = {
  no_such_pet: (id: bigint) => fail('not_found', `There is no animal ${id}`),
  open_order: (id: bigint, orderId: bigint | undefined) =>
    fail('conflict', `Order ${orderId} for animal ${id} is open; ship or cancel it first`),
};
