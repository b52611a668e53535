import { z } from 'zod';
import { orderStatuses } from '../../domain/order.ts';
import { dateTimeLengthMax, parseDateTime } from '../../domain/values/date-time.ts';
import { limitMax } from './list-page.ts';
import { assignedIdSchema, int64Schema, textSchema } from './schemas.ts';

export const orderStatusSchema = z
  .enum(orderStatuses, { error: () => `must be one of ${orderStatuses.join(', ')}` })
  .meta({ description: 'State of the order.' });

const quantityRule = 'must be 1: each animal is unique';

const quantitySchema = int64Schema
  .refine((quantity) => quantity === 1n, { error: () => quantityRule })
  .meta({
    description: 'Always 1: each animal is unique.',
    override: { minimum: 1, maximum: 1 },
    examples: [1],
  });

const shipDateRule =
  'must be a date and time that exists, with an offset, such as 2026-12-24T09:00:00Z (RFC 3339)';

const shipDateSchema = textSchema(shipDateRule, (text) => parseDateTime(text) !== undefined).meta({
  description:
    'When the animal is or was handed over: a date and time with an offset (RFC 3339). Given back in UTC with ' +
    'milliseconds.',
  override: { format: 'date-time', maxLength: dateTimeLengthMax },
  examples: ['2026-12-24T09:00:00.000Z'],
});

const petIdSchema = int64Schema.meta({ description: 'The `id` of the animal.', examples: [1] });

const completeSchema = z.boolean({ error: () => 'must be true or false' }).meta({
  description: 'Whether the order is shipped.',
  examples: [false],
});

export const newOrderSchema = z
  .object({
    petId: petIdSchema,
    quantity: quantitySchema.optional(),
    shipDate: shipDateSchema.optional(),
  })
  .meta({ id: 'NewOrder', description: 'An order to place, for one animal that is `available`.' });

export const orderSchema = z
  .object({
    id: assignedIdSchema,
    petId: petIdSchema,
    quantity: quantitySchema,
    // Not closed, unlike what may be sent: clients are to expect more.
    status: z.string().meta({
      description: `State of the order: ${orderStatuses.map((status) => `\`${status}\``).join(', ')}. New values may be added.`,
      examples: ['pending'],
    }),
    complete: completeSchema,
    shipDate: shipDateSchema.optional(),
  })
  .meta({ id: 'Order', description: 'An order for one animal.' });

export const ordersSchema = z
  .array(orderSchema)
  .max(limitMax)
  .meta({ id: 'Orders', description: 'A page of orders, newest first.' });

const unchangedId = int64Schema
  .meta({ description: 'May be sent, and must then be as it is.', examples: [1] })
  .optional();

export const orderPatchSchema = z
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
        description: 'May be sent, and must then be as it is before or after the change.',
        examples: [false],
      })
      .optional(),
    shipDate: shipDateSchema.optional(),
  })
  .meta({
    id: 'OrderPatch',
    description:
      'Changes of an order, as a JSON Merge Patch (RFC 7396). What is left out stays as it is; no member may be `null`. ' +
      'A change that is not `{}` has at least one of these members beside `id`.',
  });
