import { defineWrite } from '../../operation.ts';
import { noContent } from '../responses.ts';
import { orderPath, orderRefusals } from './order-refusals.ts';

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
  successes: [noContent('The order is cancelled.')],
  errors: ['conflict'],
  changes: 'order',
  command: 'cancelOrder',
  commandInput({ path: { orderId: id }, workspaceId }, precondition) {
    return { workspaceId, id, precondition };
  },
  refuse: (refusal, { path: { orderId } }) => orderRefusals[refusal](orderId),
});
