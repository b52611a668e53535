import { z } from 'zod';
import { categorySchema } from './category-schema.ts';
import { eventTypes } from './event.ts';
import { assignedIdMax } from './int64.ts';
import { orderSchema } from './order-schema.ts';
import { limitMax } from './page.ts';
import { petSchema } from './pet-schema.ts';

const typesText = eventTypes.map((type) => `\`${type}\``).join(', ');

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
    data: z.union([petSchema, orderSchema, categorySchema, z.object({})]).meta({
      description:
        'The record as it is after the change or, if it was deleted, as it was before. Empty in `feed.reset`.',
    }),
    previous: z
      .record(z.string(), z.unknown())
      .meta({
        description:
          'Only of `updated`: the members that changed, as they were before; `null` for one that was absent.',
        examples: [{ status: 'available' }],
      })
      .optional(),
  })
  .meta({
    id: 'Event',
    description: 'A change of a record. Its bytes are the same in every list and stream.',
  });

export const eventsSchema = z
  .array(eventSchema)
  .max(limitMax)
  .meta({ id: 'Events', description: 'A part of the feed, oldest first.' });
