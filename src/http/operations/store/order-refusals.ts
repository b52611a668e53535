import { z } from 'zod';
import type { CommandRefusal } from '../../../domain/database/commands.ts';
import { type Failure, fail } from '../../answer/answer.ts';
import { preconditionFailed } from '../../request/precondition.ts';
import { int64Schema } from '../schemas.ts';

/** Path parameters of what is about one order. */
export const orderPath = z.object({
  orderId: int64Schema.meta({ param: { description: 'The `id` of the order.', example: 1 } }),
});

interface OrderInput {
  readonly path: z.infer<typeof orderPath>;
}

/** What is answered where an order is not changed. */
export function refuseOrder(
  refusal: CommandRefusal<'updateOrder' | 'cancelOrder'>,
  { path: { orderId } }: OrderInput,
): Failure {
  switch (refusal) {
    case 'no_such_order':
      return noSuchOrder(orderId);
    case 'precondition_failed':
      return preconditionFailed('order');
    case 'other_pet':
      return fail('invalid_body', `petId must be that of order ${orderId}, or left out`);
    case 'other_complete':
      return fail('invalid_body', `complete must be that of order ${orderId}, or left out`);
    case 'order_shipped':
      return fail(
        'conflict',
        `Order ${orderId} is shipped, and cannot be changed or cancelled; to take its animal back, change the status of the animal`,
      );
    case 'order_cancelled':
      return fail('conflict', `Order ${orderId} is cancelled, and cannot be changed`);
    case 'cancelled_by_delete_only':
      return fail('conflict', `Order ${orderId} is pending; cancel it with DELETE`);
  }
}

export function noSuchOrder(orderId: bigint): Failure {
  return fail('not_found', `There is no order ${orderId}`);
}
