import { z } from 'zod';
import { noteLengthMax, orderStatuses, orderToJson } from '../../domain/order.ts';
import { searchedMax } from '../../domain/search.ts';
import { andThen } from '../../domain/values/awaitable.ts';
import { dateTimeLengthMax, parseDateTime } from '../../domain/values/date-time.ts';
import { created, defineRead, defineWrite, noContent, ok } from '../define-operation.ts';
import { fail } from '../failure.ts';
import { storeTag } from './inventory.ts';
import {
  answerPage,
  cursorParameter,
  idsParameter,
  limitMax,
  limitParameter,
  optionalParameter,
} from './list-page.ts';
import { petRefusals } from './pets.ts';
import {
  assignedIdSchema,
  describedText,
  idParameter,
  int64Schema,
  longTextSchema,
  nullable,
  searchTextSchema,
  textSchema,
} from './schemas.ts';

const orderStatusSchema = z
  .enum(orderStatuses, { error: () => `must be one of ${orderStatuses.join(', ')}` })
  .meta({ description: 'State of the order.' });

const quantitySchema = int64Schema
  .refine((quantity) => quantity === 1n, { error: () => 'must be 1: each animal is unique' })
  .meta({
    description: 'Always 1: each animal is unique.',
    override: { minimum: 1, maximum: 1 },
    examples: [1],
  });

const shipDateRule =
  'must be a date and time that exists, with an offset, such as 2026-12-24T09:00:00Z (RFC 3339)';

const shipDateSchema = textSchema(shipDateRule, (text) => parseDateTime(text) !== undefined).meta({
  description:
    'When the animal is or was handed over: a date and time with an offset (RFC 3339), of at most ' +
    `${dateTimeLengthMax} characters. Returned in UTC with milliseconds.`,
  override: { format: 'date-time' },
  examples: ['2026-12-24T09:00:00.000Z'],
});

const petIdSchema = int64Schema.meta({ description: 'The `id` of the animal.', examples: [1] });

const completeSchema = z.boolean({ error: () => 'must be true or false' }).meta({
  description: 'Whether the order is shipped.',
  examples: [false],
});

const exampleNote = 'For Ada, on Monday';

const noteSchema = longTextSchema(
  noteLengthMax,
  'What people need to know about the order, such as the name of the customer',
  exampleNote,
);

const newOrderSchema = z
  .object({
    petId: petIdSchema,
    quantity: quantitySchema.optional(),
    shipDate: shipDateSchema.optional(),
    note: noteSchema.optional(),
  })
  .meta({ id: 'NewOrder', description: 'An order to place, for one animal that is `available`.' });

export const orderSchema = z
  .object({
    id: assignedIdSchema,
    petId: petIdSchema,
    quantity: quantitySchema,
    // Not closed, unlike what may be sent: clients are to expect more.
    status: describedText(
      `State of the order: ${orderStatuses.map((status) => `\`${status}\``).join(', ')}. New values may be added.`,
      'pending',
    ),
    complete: completeSchema,
    shipDate: shipDateSchema.optional(),
    note: noteSchema.optional(),
  })
  .meta({
    id: 'Order',
    description: 'An order for one animal. Its events do not contain its `note`.',
  });

const ordersSchema = z
  .array(orderSchema)
  .max(limitMax)
  .meta({ id: 'Orders', description: 'A page of orders, newest first.' });

const unchangedId = int64Schema
  .meta({ description: 'If present, it must equal the current value.', examples: [1] })
  .optional();

const orderPatchSchema = z
  .object({
    id: unchangedId,
    petId: unchangedId,
    quantity: quantitySchema.optional(),
    status: orderStatusSchema
      .meta({
        description: 'A `pending` order becomes `shipped`. It is cancelled by `DELETE` only.',
      })
      .optional(),
    complete: completeSchema
      .meta({
        description: 'If present, it must equal the value before or after the change.',
      })
      .optional(),
    shipDate: shipDateSchema.optional(),
    note: nullable(noteSchema).optional(),
  })
  .meta({
    id: 'OrderPatch',
    description:
      'Changes of an order, as a JSON Merge Patch (RFC 7396). What is left out stays as it is. `null` removes the `note`; no ' +
      'other member may be `null`. The `note` can change in every state of the order. ' +
      'A change that is not `{}` has at least one of these members beside `id`.',
  });

const pendingOrder = { id: 1, petId: 1, quantity: 1, status: 'pending', complete: false };
const shippedOrder = {
  ...pendingOrder,
  status: 'shipped',
  complete: true,
  shipDate: '2026-12-24T09:00:00.000Z',
  note: exampleNote,
};

const allOrders = { tag: storeTag, path: '/store/orders', stability: 'beta' } as const;

/** What the operations on one order share. */
const oneOrder = {
  ...allOrders,
  path: '/store/orders/{orderId}',
  pathParameters: z.object({
    orderId: idParameter('order'),
  }),
  noun: 'order',
} as const;

/** The failure for each refusal of a command on one order. */
const orderRefusals = {
  no_such_order: (id: bigint) => fail('not_found', `There is no order ${id}`),
  other_pet: (id: bigint) => fail('invalid_body', `petId must be that of order ${id}, or left out`),
  other_complete: (id: bigint) =>
    fail(
      'invalid_body',
      `complete must be that of order ${id} before or after the change, or left out`,
    ),
  order_shipped: (id: bigint) =>
    fail(
      'conflict',
      `Order ${id} is shipped: only its note can change. To take its animal back, change the status of the animal`,
    ),
  order_cancelled: (id: bigint) =>
    fail('conflict', `Order ${id} is cancelled: only its note can change`),
  cancelled_by_delete_only: (id: bigint) =>
    fail('conflict', `Order ${id} is pending; cancel it with DELETE`),
};

const listOrders = defineRead({
  ...allOrders,
  operationId: 'listOrders',
  summary: 'List orders',
  description:
    'A page of the orders in the workspace of the API key, newest first, cancelled ones too. If more follow, `Link` has the ' +
    'URL of the next page (`rel="next"`).',
  scope: 'orders:read',
  queryParameters: z.object({
    limit: limitParameter('Maximum number of orders to return.'),
    status: optionalParameter(orderStatusSchema, 'Only orders with this status.'),
    petId: idsParameter('orders for the animal'),
    id: idsParameter('orders'),
    note: optionalParameter(
      searchTextSchema(noteLengthMax),
      'Only orders whose note contains this text, compared as `name` of `GET /pets` is. A page searches at most ' +
        `${searchedMax} orders, so it may have fewer than \`limit\`, even none, and still a \`Link\` to the next page.`,
    ),
    cursor: cursorParameter,
  }),
  successes: [ok('A page of orders.', ordersSchema, [pendingOrder])],
  // For the same reasons as the list of animals.
  isCacheable: ({ cursor, id, note, petId = [] }) =>
    cursor === undefined && id === undefined && note === undefined && petId.length < 2,
  searchedBy: 'note',
  handle(context, { query, workspaceId }, { readOrderPage }) {
    const { status, petId: petIds, id: ids, note } = query;
    const filter = { status, petId: petIds, id: ids, note };
    return answerPage(
      { path: '/store/orders', name: 'orders', query, filter },
      (page) => readOrderPage(context, workspaceId, { ...page, status, petIds, ids, note }),
      orderToJson,
    );
  },
});

const createOrder = defineWrite({
  ...allOrders,
  operationId: 'createOrder',
  method: 'POST',
  summary: 'Order an animal',
  description:
    'Reserves an animal that is `available`: it becomes `pending` together with the order. If several clients order the same ' +
    'animal, exactly one gets it, and the others get 409.',
  scope: 'orders:write',
  requestBody: newOrderSchema,
  requestExamples: {
    order: { summary: 'An order for an animal', value: { petId: 1 } },
    dated: {
      summary: 'To be handed over on a day',
      value: { petId: 1, shipDate: '2026-12-24T09:00:00Z' },
    },
    noted: { summary: 'For a customer', value: { petId: 1, note: exampleNote } },
  },
  successes: [created('The order was placed.', orderSchema, pendingOrder)],
  errors: ['not_found', 'pet_not_available'],
  commandInput: ({ body: { petId, shipDate, note }, workspaceId }) => ({
    workspaceId,
    order: { petId, shipDate: shipDate === undefined ? undefined : parseDateTime(shipDate), note },
  }),
  answer: (order) => ({ body: orderToJson(order), location: `/store/orders/${order.id}` }),
  refuse: (refusal, { body: { petId } }) =>
    refusal === 'no_such_pet'
      ? petRefusals.no_such_pet(petId)
      : fail('pet_not_available', `Animal ${petId} is not available`),
});

const getOrder = defineRead({
  ...oneOrder,
  operationId: 'getOrder',
  summary: 'Get an order',
  description: 'Returns one order, also a cancelled one.',
  scope: 'orders:read',
  successes: [ok('The requested order.', orderSchema, shippedOrder)],
  handle: (context, { path: { orderId }, workspaceId }, { readOrder }) =>
    andThen(readOrder(context, workspaceId, orderId), (order) =>
      order === undefined ? orderRefusals.no_such_order(orderId) : { body: orderToJson(order) },
    ),
});

const updateOrder = defineWrite({
  ...oneOrder,
  operationId: 'updateOrder',
  method: 'PATCH',
  summary: 'Change or ship an order',
  description:
    'Sets the date of a `pending` order, or makes it `shipped`: its animal is `sold` then, and the date is that of the ' +
    'request if there is none. Sets or removes the note of any order.',
  scope: 'orders:write',
  requestBody: orderPatchSchema,
  requestExamples: {
    shipped: { summary: 'The animal was handed over', value: { status: 'shipped' } },
    dated: { summary: 'Another day', value: { shipDate: '2026-12-24T09:00:00Z' } },
    forgotten: { summary: 'Without the note', value: { note: null } },
  },
  successes: [ok('The order, changed or as it was.', orderSchema, shippedOrder)],
  errors: ['conflict'],
  readUnchanged: getOrder.handle,
  commandInput({ body, path: { orderId: id }, workspaceId, now }, precondition) {
    const { petId, complete, status, shipDate, note } = body;
    const changes = {
      petId,
      complete,
      status,
      shipDate: shipDate === undefined ? undefined : parseDateTime(shipDate),
      note,
    };
    return { workspaceId, id, changes, now, precondition };
  },
  answer: (order) => ({ body: orderToJson(order) }),
  refuse: (refusal, { path: { orderId } }) => orderRefusals[refusal](orderId),
});

const cancelOrder = defineWrite({
  ...oneOrder,
  operationId: 'cancelOrder',
  method: 'DELETE',
  summary: 'Cancel an order',
  description:
    'Cancels a `pending` order: its animal is `available` again. The order stays in the list, as `cancelled`.',
  scope: 'orders:write',
  successes: [noContent('The order is cancelled.')],
  errors: ['conflict'],
  commandInput({ path: { orderId: id }, workspaceId }, precondition) {
    return { workspaceId, id, precondition };
  },
  refuse: (refusal, { path: { orderId } }) => orderRefusals[refusal](orderId),
});

export const orderOperations = [listOrders, createOrder, getOrder, updateOrder, cancelOrder];
