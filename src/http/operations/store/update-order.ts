import { orderToJson } from '../../../domain/order.ts';
import { andThen } from '../../../domain/values/awaitable.ts';
import { parseDateTime } from '../../../domain/values/date-time.ts';
import { defineWrite } from '../../operation.ts';
import { patchFaults } from '../../request/body-faults.ts';
import { ok } from '../responses.ts';
import { orderPath, orderRefusals } from './order-refusals.ts';
import { orderPatchSchema, orderSchema, shippedOrderExample } from './order-schema.ts';

/** Some of them must have their current value. */
const members = ['petId', 'quantity', 'status', 'complete', 'shipDate'] as const;

export const updateOrder = defineWrite({
  operationId: 'updateOrder',
  tag: 'store',
  method: 'PATCH',
  path: '/store/orders/{orderId}',
  summary: 'Change or ship an order',
  description:
    'Sets the date of a `pending` order, or makes it `shipped`: its animal is `sold` then, and the date is that of the ' +
    'request if there is none.',
  scope: 'orders:write',
  isRecord: true,
  stability: 'beta',
  pathParameters: orderPath,
  requestBody: orderPatchSchema,
  requestExamples: {
    shipped: { summary: 'The animal was handed over', value: { status: 'shipped' } },
    dated: { summary: 'Another day', value: { shipDate: '2026-12-24T09:00:00Z' } },
  },
  successes: [ok('The order, changed or as it was.', orderSchema, shippedOrderExample)],
  errors: ['conflict'],
  bodyFaults: (body, { orderId }) => patchFaults(body, orderId, members),
  changes: 'order',
  readUnchanged: ({ path: { orderId }, workspaceId }, { readOrder }) =>
    andThen(
      readOrder(workspaceId, orderId),
      (order) => order ?? orderRefusals.no_such_order(orderId),
    ),
  command: 'updateOrder',
  commandInput({ body, path: { orderId: id }, workspaceId, now }, precondition) {
    const { petId, complete, status, shipDate } = body;
    const changes = {
      petId,
      complete,
      status,
      shipDate: shipDate === undefined ? undefined : parseDateTime(shipDate),
    };
    return { workspaceId, id, changes, now, precondition };
  },
  answer: (order) => ({ body: orderToJson(order) }),
  refuse: (refusal, { path: { orderId } }) => orderRefusals[refusal](orderId),
});
