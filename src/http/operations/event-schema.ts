import { z } from 'zod';
import { eventTypes } from '../../domain/event.ts';
import { assignedIdMax } from '../../domain/values/int64.ts';
import { webhookDisabledReasons } from '../../domain/webhook.ts';
import { kinds } from './kinds.ts';
import { limitMax } from './list-page.ts';
import { describedText, int64Schema } from './schemas.ts';

const typesText = eventTypes.map((type) => `\`${type}\``).join(', ');

const sequenceSchema = z.int64().meta({
  override: { minimum: 1, maximum: Number(assignedIdMax) },
  examples: [1042],
});

/** What `webhook.disabled` says. Its `id` is that of the webhook. */
export const webhookDisablingSchema = z
  .object({
    id: int64Schema.meta({ description: 'The `id` of the webhook.', examples: [1] }),
    reason: describedText(
      `Why the server disabled a webhook: ${webhookDisabledReasons.map((reason) => `\`${reason}\``).join(', ')}. New values ` +
        'may be added. Only in `webhook.disabled`.',
      'no_success',
    ),
    firstMissed: sequenceSchema
      .meta({
        description:
          'The first event that was deleted before it could be delivered. Only in `webhook.disabled`.',
      })
      .optional(),
    lastMissed: sequenceSchema
      .meta({ description: 'The last of these events. Only in `webhook.disabled`.' })
      .optional(),
  })
  .meta({ description: 'Why the server disabled a webhook.' });

/** The members that several kinds of records have. Each holds for all of these kinds. */
const sharedMembers = {
  id: int64Schema.meta({ description: 'The `id` of the record or webhook.', examples: [7] }),
  name: describedText('The name of the record.', 'Rex'),
  status: describedText('The status of the animal or order. New values may be added.', 'available'),
};

/** A member that a record may lack is `null` in `previous` if it was absent. */
function nullIfOptional(member: z.ZodType): z.ZodType {
  if (!(member instanceof z.ZodOptional)) return member;
  const { override } = member.meta() ?? {};
  return member.meta({
    override: ({ jsonSchema }: { readonly jsonSchema: z.core.JSONSchema.BaseSchema }) =>
      Object.assign(jsonSchema, override, { type: [jsonSchema.type, 'null'] }),
  });
}

const members = [
  ...kinds
    .flatMap(({ eventSchema }) => Object.entries(eventSchema.shape))
    .map(([name, member]) => [name, nullIfOptional(member)] as const),
  ...Object.entries({ ...webhookDisablingSchema.shape, ...sharedMembers }),
];

/**
 * The members of all kinds of records in one schema. Generated clients handle a union badly: in Java every event became a
 * category, and in Rust none could be read.
 */
const eventRecordSchema = z.object(Object.fromEntries<z.ZodType>(members)).partial().meta({
  id: 'EventRecord',
  description: 'A record of the kind in the `type` of the event, or some members of one.',
});

const eventSchema = z
  .object({
    id: describedText(
      'Unique, also among the events of other workspaces and of restored data.',
      'evt_1042_PH76ArPe',
    ),
    sequence: z.int64().meta({
      description:
        'Place in the feed of the workspace: from 1 up without a gap, except after a restore, in the order of the changes. It is also the ' +
        'position after the event.',
      override: { minimum: 1, maximum: Number(assignedIdMax) },
      examples: [1042],
    }),
    type: describedText(`What happened: ${typesText}. New values may be added.`, 'pet.updated'),
    timestamp: describedText(
      'Time of the request that changed the record: UTC with milliseconds.',
      '2026-11-21T13:33:05.123Z',
      { format: 'date-time' },
    ),
    requestId: describedText(
      'The `X-Request-Id` of that request. Absent from `feed.reset` and `webhook.disabled`.',
      '01a1f886-e697-70a6-9073-e2c036991302',
    ).optional(),
    actor: describedText(
      'What caused the change: `key:` and the id of an API key (0 for the key in the environment of the server), `owner` for a ' +
        'session of the console that a link opened, or `system` for the service itself. New forms may be added.',
      'key:3',
    ),
    data: eventRecordSchema,
    previous: eventRecordSchema.optional(),
  })
  .meta({
    id: 'Event',
    description:
      'A change of a record. Its bytes are the same in every list and stream. `data` is the record after the change or, if it ' +
      'was deleted, before. It is empty in `feed.reset`, and says why in `webhook.disabled`. Only `updated` events have `previous`: the changed members as they ' +
      'were before, `null` for a member that was absent.',
  });

export const eventsSchema = z
  .array(eventSchema)
  .max(limitMax)
  .meta({ id: 'Events', description: 'A part of the feed, oldest first.' });
