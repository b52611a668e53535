import { type OrderReads, orderToJson } from '../../../domain/order.ts';
import { andThen } from '../../../domain/values/awaitable.ts';
import { defineRead } from '../../operation.ts';
import { ok } from '../responses.ts';
import { orderPath, orderRefusals } from './order-refusals.ts';
import { orderSchema, shippedOrderExample } from './order-schema.ts';

export const getOrder = defineRead({
  operationId: 'getOrder',
  tag: 'store',
  method: 'GET',
  path: '/store/orders/{orderId}',
  summary: 'Get an order',
  description: 'Returns one order, also a cancelled one.',
  scope: 'orders:read',
  isRecord: true,
  stability: 'beta',
  pathParameters: orderPath,
  successes: [ok('The requested order.', orderSchema, shippedOrderExample)],
  handle: ({ path: { orderId }, workspaceId }, { readOrder }: OrderReads) =>
    andThen(readOrder(workspaceId, orderId), (order) =>
      order === undefined ? orderRefusals.no_such_order(orderId) : { body: orderToJson(order) },
    ),
});
