import { z } from 'zod';
import { eventTypes } from '../../domain/event.ts';
import { assignedIdMax } from '../../domain/values/int64.ts';
import { limitMax } from './list-page.ts';
import { orderSchema } from './order-schema.ts';
import { petSchema } from './pet-schema.ts';
import { int64Schema } from './schemas.ts';

const typesText = eventTypes.map((type) => `\`${type}\``).join(', ');

const { petId, quantity, complete } = orderSchema.shape;

/**
 * The members of all kinds of records in one schema. Generated clients handle a union badly: in Java every event became a
 * category, and in Rust none could be read.
 */
const eventRecordSchema = z
  .object({
    id: int64Schema.meta({ description: 'The `id` of the record.', examples: [7] }),
    name: z.string().meta({
      description: 'The name of the animal or category.',
      examples: ['Rex'],
    }),
    categoryId: petSchema.shape.categoryId,
    description: nullable('What the category is.', 'Of every size'),
    petId,
    quantity,
    status: z.string().meta({
      description: 'The status of the animal or order. New values may be added.',
      examples: ['available'],
    }),
    complete,
    shipDate: nullable(
      'When the animal is or was handed over.',
      '2026-12-24T09:00:00.000Z',
      'date-time',
    ),
  })
  .partial()
  .meta({
    id: 'EventRecord',
    description:
      'An animal, an order or a category, as the `type` of the event says, or some members of one.',
  });

/** A member that a record may lack: `null` in `previous` if it was absent. */
function nullable(description: string, example: string, format?: 'date-time') {
  const override = {
    type: ['string', 'null'],
    ...(format === undefined ? {} : { format }),
  } as const;
  return z.string().meta({ description, override, examples: [example] });
}

export const eventSchema = z
  .object({
    id: z.string().meta({
      description: 'Unique, also among the events of other workspaces and of restored data.',
      examples: ['evt_1042_6ODn30u4'],
    }),
    sequence: z.int64().meta({
      description:
        'Place in the feed of the workspace: from 1 up without a gap, in the order of the changes. It is also the position ' +
        'after the event.',
      override: { minimum: 1, maximum: Number(assignedIdMax) },
      examples: [1042],
    }),
    type: z.string().meta({
      description: `What happened: ${typesText}. New values may be added.`,
      examples: ['pet.updated'],
    }),
    timestamp: z.string().meta({
      description: 'When the request came that changed the record: UTC with milliseconds.',
      override: { format: 'date-time' },
      examples: ['2026-11-21T13:33:05.123Z'],
    }),
    requestId: z
      .string()
      .meta({
        description: 'The `X-Request-Id` of that request. Absent from `feed.reset`.',
        examples: ['01a1f886-e697-70a6-9073-e2c036991302'],
      })
      .optional(),
    data: eventRecordSchema,
    previous: eventRecordSchema.optional(),
  })
  .meta({
    id: 'Event',
    description:
      'A change of a record. Its bytes are the same in every list and stream. `data` is the record after the change or, if it ' +
      'was deleted, before. It is empty in `feed.reset`. Only `updated` events have `previous`: the changed members as they ' +
      'were before, `null` for a member that was absent.',
  });

export const eventsSchema = z
  .array(eventSchema)
  .max(limitMax)
  .meta({ id: 'Events', description: 'A part of the feed, oldest first.' });
