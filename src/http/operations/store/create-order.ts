import { orderToJson } from '../../../domain/order.ts';
import { parseDateTime } from '../../../domain/values/date-time.ts';
import { fail } from '../../answer/answer.ts';
import { defineWrite } from '../../operation.ts';
import { petRefusals } from '../pets/pet-refusals.ts';
import { created } from '../responses.ts';
import { newOrderSchema, orderSchema } from './order-schema.ts';

export const createOrder = defineWrite({
  operationId: 'createOrder',
  tag: 'store',
  method: 'POST',
  path: '/store/orders',
  summary: 'Order an animal',
  description:
    'Reserves an animal that is `available`: it becomes `pending` together with the order. If several clients order the same ' +
    'animal, exactly one gets it, and the others get 409.',
  scope: 'orders:write',
  isRecord: true,
  stability: 'beta',
  requestBody: newOrderSchema,
  requestExamples: {
    order: { summary: 'An order for an animal', value: { petId: 1 } },
    dated: {
      summary: 'To be handed over on a day',
      value: { petId: 1, shipDate: '2026-12-24T09:00:00Z' },
    },
  },
  successes: [
    created('The order was placed.', orderSchema, {
      id: 1,
      petId: 1,
      quantity: 1,
      status: 'pending',
      complete: false,
    }),
  ],
  errors: ['not_found', 'pet_not_available'],
  command: 'createOrder',
  commandInput: ({ body: { petId, shipDate }, workspaceId }) => ({
    workspaceId,
    order: { petId, shipDate: shipDate === undefined ? undefined : parseDateTime(shipDate) },
  }),
  answer: (order) => ({
    body: orderToJson(order),
    location: `/store/orders/${order.id}`,
  }),
  refuse: (refusal, { body: { petId } }) =>
    refusal === 'no_such_pet'
      ? petRefusals.no_such_pet(petId)
      : fail('pet_not_available', `Animal ${petId} is not available`),
});
