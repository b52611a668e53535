import { z } from 'zod';
import { fail } from '../../answer/answer.ts';
import { int64Schema } from '../schemas.ts';

/** The path parameter of operations on one order. */
export const orderPath = z.object({
  orderId: int64Schema.meta({ param: { description: 'The `id` of the order.', example: 1 } }),
});

/** The failure for each refusal of a command on one order. */
export const orderRefusals = {
  no_such_order: (id: bigint) => fail('not_found', `There is no order ${id}`),
  other_pet: (id: bigint) => fail('invalid_body', `petId must be that of order ${id}, or left out`),
  other_complete: (id: bigint) =>
    fail('invalid_body', `complete must be that of order ${id}, or left out`),
  order_shipped: (id: bigint) =>
    fail(
      'conflict',
      `Order ${id} is shipped, and cannot be changed or cancelled; to take its animal back, change the status of the animal`,
    ),
  order_cancelled: (id: bigint) =>
    fail('conflict', `Order ${id} is cancelled, and cannot be changed`),
  cancelled_by_delete_only: (id: bigint) =>
    fail('conflict', `Order ${id} is pending; cancel it with DELETE`),
};
