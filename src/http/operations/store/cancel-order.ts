import { defineWrite } from '../../operation.ts';
import { orderPath, refuseOrder } from './order-refusals.ts';

export const cancelOrder = defineWrite({
  operationId: 'cancelOrder',
  tag: 'store',
  method: 'DELETE',
  path: '/store/orders/{orderId}',
  summary: 'Cancel an order',
  description:
    'Cancels a `pending` order: its animal is `available` again. The order stays in the list, as `cancelled`.',
  scope: 'orders:write',
  stability: 'beta',
  pathParameters: orderPath,
  requestBody: undefined,
  successes: [{ httpStatus: 204, description: 'The order is cancelled.', headers: [] }],
  errors: ['conflict'],
  takesPrecondition: true,
  command: 'cancelOrder',
  commandInput: ({ path: { orderId: id }, workspaceId }, precondition) => ({
    workspaceId,
    id,
    precondition,
  }),
  answer: () => ({}),
  refuse: refuseOrder,
});
