import { z } from 'zod';
import { type OrderReads, orderToJson } from '../../../domain/order.ts';
import { andThen } from '../../../domain/values/awaitable.ts';
import { isFailure } from '../../answer/answer.ts';
import { defineRead } from '../../operation.ts';
import {
  cursorParameter,
  distinctAscending,
  idsParameter,
  limitParameter,
  readPageRequest,
  toPageSuccess,
} from '../list-page.ts';
import { okPage } from '../responses.ts';
import { int64Schema } from '../schemas.ts';
import { orderStatusSchema, ordersSchema } from './order-schema.ts';

export const listOrders = defineRead({
  operationId: 'listOrders',
  tag: 'store',
  method: 'GET',
  path: '/store/orders',
  summary: 'List orders',
  description:
    'A page of the orders in the workspace of the API key, newest first, cancelled ones too. If more follow, `Link` has the ' +
    'URL of the next page (`rel="next"`).',
  scope: 'orders:read',
  stability: 'beta',
  queryParameters: z.object({
    limit: limitParameter('Maximum number of orders to return.'),
    status: orderStatusSchema
      .optional()
      .meta({ param: { description: 'Only orders with this status.' } }),
    petId: int64Schema.optional().meta({ param: { description: 'Only orders for this animal.' } }),
    id: idsParameter('orders'),
    cursor: cursorParameter,
  }),
  successes: [
    okPage('A page of orders.', ordersSchema, [
      { id: 1, petId: 1, quantity: 1, status: 'pending', complete: false },
    ]),
  ],
  isCacheable: ({ cursor, id }) => cursor === undefined && id === undefined,
  errors: ['invalid_cursor'],
  handle({ query, workspaceId }, { readOrderPage }: OrderReads) {
    const { status, petId } = query;
    const ids = distinctAscending(query.id);
    const filter = { status, petId, id: ids };
    const list = { path: '/store/orders', kind: 'orders', query, filter };
    const request = readPageRequest(list);
    if (isFailure(request)) return request;
    return andThen(readOrderPage(workspaceId, { ...request, status, petId, ids }), (page) =>
      toPageSuccess(list, page, orderToJson),
    );
  },
});
