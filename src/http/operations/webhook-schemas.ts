import { z } from 'zod';
import { assignedIdMax } from '../../domain/values/int64.ts';
import {
  webhookDescriptionLengthMax,
  webhookStatuses,
  webhooksMaxOfWorkspace,
  webhookUrlLengthMax,
} from '../../domain/webhook.ts';
import { attemptErrors } from '../../domain/webhook-target.ts';
import { typeFilters } from './event-parameters.ts';
import { limitMax } from './list-page.ts';
import {
  assignedIdSchema,
  describedText,
  int64Schema,
  integerSchema,
  longTextSchema,
  nullable,
  sameIdSchema,
  textSchema,
} from './schemas.ts';

/** An example of a webhook. */
export const exampleWebhook = {
  id: 1,
  url: 'https://shop.example/hooks/animals',
  types: ['pet.*', 'order.created'],
  description: 'The website',
  status: 'enabled',
  position: 1042,
  createdAt: '2026-11-21T13:33:05.123Z',
};

export const exampleSecret = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=';

/** What a URL must be to be called at all. */
export const urlRule = `must be an https URL of at most ${webhookUrlLengthMax} characters, without a user, a password and a fragment (http only where --webhook-allow of the server permits it)`;

// A string, because the source of a regular expression escapes each slash, and some generators escape it again.
const urlPattern = '^[Hh][Tt][Tt][Pp][Ss]?://[^\\s\\\\]+$';
const urlExpression = new RegExp(urlPattern);

// The rest of the URL and the addresses of its host are checked before the command runs.
const urlSchema = textSchema(
  urlRule,
  (text) => urlExpression.test(text) && text.length <= webhookUrlLengthMax && text.isWellFormed(),
).meta({
  description:
    'The endpoint that receives the events: an `https` URL without a user, a password and a fragment, on port 443 or a port from 1024 on. ' +
    'All addresses of its host name must be public, ' +
    'unless the operator permits them with `--webhook-allow`.',
  override: { maxLength: webhookUrlLengthMax, pattern: urlPattern },
  examples: [exampleWebhook.url],
});

const typesRule = `must be a list of one or more types without repeats, each one of ${typeFilters.join(', ')}`;

const typeSchema = z.enum(typeFilters, { error: () => typesRule }).meta({
  id: 'WebhookEventType',
  description: 'A type of events, or all types of a kind as `pet.*`.',
});

const typesSchema = z
  .array(typeSchema, { error: () => typesRule })
  .refine((types) => types.length > 0 && new Set(types).size === types.length, {
    error: () => typesRule,
  });

const typesMeta = {
  description:
    'Only events of these types, or of all types of a kind as `pet.*`. Without it, the webhook receives all events.',
  examples: [exampleWebhook.types],
};

/** More than the types of today, because new types may be added. */
const returnedTypesMax = 100;

const sentTypesSchema = typesSchema.meta({
  ...typesMeta,
  override: { minItems: 1, maxItems: typeFilters.length, uniqueItems: true },
});

const descriptionSchema = longTextSchema(
  webhookDescriptionLengthMax,
  'What the webhook is for',
  exampleWebhook.description,
);

export const newWebhookSchema = z
  .object({
    url: urlSchema,
    types: sentTypesSchema.optional(),
    description: descriptionSchema.optional(),
  })
  .meta({ id: 'NewWebhook', description: 'A webhook to add.' });

function count(description: string, min: number, max: number, example: number) {
  const override = { format: 'int32', minimum: min, maximum: max };
  return z.int().meta({ description, override, examples: [example] });
}

const timeForm = { format: 'date-time' };

const positionMax = Number(assignedIdMax);

export const webhookSchema = z
  .object({
    id: assignedIdSchema,
    url: urlSchema,
    // Not closed, unlike what may be sent: clients are to expect more types.
    types: z
      .array(z.string())
      .meta({ ...typesMeta, override: { maxItems: returnedTypesMax } })
      .optional(),
    description: descriptionSchema.optional(),
    status: describedText(
      `State of the webhook: ${webhookStatuses.map((status) => `\`${status}\``).join(', ')}. New values may be added. A \`failing\` ` +
        'endpoint does not accept events: the service keeps its position and probes it. If it accepts no event for 5 days, or ' +
        'answers 410, it is `disabled`.',
      'enabled',
    ),
    position: int64Schema.meta({
      description:
        'The `sequence` of an event. Each event up to it was delivered, was skipped, or is retried by itself.',
      override: { minimum: 0, maximum: positionMax },
      examples: [1042],
    }),
    createdAt: describedText('When the webhook was added.', exampleWebhook.createdAt, timeForm),
  })
  .meta({ id: 'Webhook', description: 'An endpoint that receives events.' });

export const webhooksSchema = z
  .array(webhookSchema)
  .max(webhooksMaxOfWorkspace)
  .meta({ id: 'Webhooks', description: 'All webhooks of a workspace, newest first.' });

const secretSchema = describedText(
  'The secret that deliveries are signed with, as Standard Webhooks describes. It is in no other response, and in no repeated ' +
    'one: a response with `Idempotent-Replayed` lacks it.',
  exampleSecret,
).optional();

export const createdWebhookSchema = webhookSchema
  .extend({ secret: secretSchema })
  .meta({ id: 'CreatedWebhook', description: 'A new webhook, with its secret.' });

const positionRule = `must be now or a whole number from 0 to ${positionMax}`;

const positionPatchSchema = z
  .union(
    [
      int64Schema.refine((value) => value >= 0 && value <= positionMax, {
        error: () => positionRule,
      }),
      z.literal('now'),
    ],
    {
      error: () => positionRule,
    },
  )
  .meta({
    description:
      'The position to continue from, or `now` for the position after the newest event. A lower position delivers events again, and a ' +
      'higher one skips events. Retries of earlier events end.',
    // `oneOf` with an enumeration: a schema with two types cannot be written in OpenAPI 3.0, and many generators reject it.
    override({ jsonSchema }: { readonly jsonSchema: z.core.JSONSchema.BaseSchema }) {
      delete jsonSchema.anyOf;
      jsonSchema.oneOf = [
        { type: 'integer', format: 'int64', minimum: 0, maximum: positionMax },
        { type: 'string', enum: ['now'] },
      ];
    },
    examples: ['now'],
  });

export const webhookPatchSchema = z
  .object({
    id: sameIdSchema(),
    url: urlSchema.optional(),
    types: nullable(sentTypesSchema).optional(),
    description: nullable(descriptionSchema).optional(),
    status: z
      .enum(['enabled', 'paused'], { error: () => 'must be enabled or paused' })
      .meta({
        description:
          '`paused` stops the deliveries. `enabled` continues from the position. If the webhook is `failing`, the endpoint is probed ' +
          'at once, and its success enables the webhook.',
      })
      .optional(),
    position: positionPatchSchema.optional(),
  })
  .meta({
    id: 'WebhookPatch',
    description:
      'Changes of a webhook, as a JSON Merge Patch (RFC 7396). What is left out stays as it is. `null` removes `types` or ' +
      '`description`; no other member may be `null`. A change that is not `{}` has at least one of these members beside `id`.',
  });

/** For the time that a receiver needs to know the new secret. */
export const overlapSecondsDefault = 86_400;
const overlapSecondsMax = 30 * 86_400;

export const webhookRotationSchema = z
  .object({
    overlapSeconds: integerSchema(0, overlapSecondsMax)
      .meta({
        description:
          'How long deliveries are signed with the previous secret too. With 0, only with the new one. The default is a day.',
        override: {
          format: 'int32',
          minimum: 0,
          maximum: overlapSecondsMax,
          default: overlapSecondsDefault,
        },
        examples: [overlapSecondsDefault],
      })
      .optional(),
  })
  .meta({ id: 'WebhookRotation', description: 'How to replace the secret of a webhook.' });

export const webhookSecretSchema = z
  .object({
    secret: secretSchema,
    previousSecretExpiresAt: describedText(
      'Until then, deliveries are signed with the previous secret too. Absent without an overlap.',
      '2026-11-22T13:33:05.123Z',
      timeForm,
    ).optional(),
  })
  .meta({ id: 'WebhookSecret', description: 'The new secret of a webhook.' });

/** Members of an attempt, whether of a delivery or a test. */
const attemptMembers = {
  httpStatus: count(
    'Status of the response. Absent if no response arrived.',
    100,
    999,
    200,
  ).optional(),
  error: describedText(
    `Why the attempt failed, if that is not its \`httpStatus\`: ${attemptErrors.map((error) => `\`${error}\``).join(', ')}. \`gave_up\`: the last attempt for this ` +
      'event failed. New values may be added.',
    'timeout',
  ).optional(),
  milliseconds: count('How long the attempt took.', 0, 2 ** 31 - 1, 84),
  responseExcerpt: describedText(
    'The first 4 KiB of the body of the response, without control characters; of a delivery that succeeded, the first 200 characters. With `invalid_response`, the rule that the response breaks.',
    'ok',
  ).optional(),
};

export const webhookTestSchema = z
  .object({
    delivered: z.boolean().meta({
      description: 'Whether the endpoint answered with a status from 200 to 299.',
      examples: [true],
    }),
    ...attemptMembers,
  })
  .meta({ id: 'WebhookTest', description: 'What the endpoint answered.' });

const deliverySchema = z
  .object({
    id: assignedIdSchema,
    eventId: describedText(
      'The `id` of the event, and the `webhook-id` of the request.',
      'evt_1042_PH76ArPe',
    ),
    at: describedText('When the attempt began.', '2026-11-21T13:33:05.201Z', timeForm),
    attempt: count(
      'Which attempt to deliver the event it was, from 1. After the webhook was `failing`, or its position was set, it is 1 again.',
      1,
      2 ** 31 - 1,
      1,
    ),
    ...attemptMembers,
  })
  .meta({ id: 'Delivery', description: 'An attempt to deliver an event.' });

export const deliveriesSchema = z
  .array(deliverySchema)
  .max(limitMax)
  .meta({ id: 'Deliveries', description: 'A page of deliveries, newest first.' });
