import { z } from 'zod';
import {
  type ApiKey,
  apiKeyEnd,
  apiKeyNameRule,
  apiKeyState,
  defaultScopes,
  isApiKeyName,
  scopes,
} from '../../../domain/access/api-key.ts';
import {
  formatRateLimit,
  parseRateLimit,
  rateLimitRule,
} from '../../../domain/access/rate-limit.ts';
import type { Context } from '../../../domain/values/context.ts';
import { newApiKey } from '../../access/new-api-key.ts';
import { type Failure, fail } from '../../failure.ts';
import { int64Schema, integerSchema } from '../../operations/schemas.ts';
import { type ConsoleServices, defineConsole } from '../console-operation.ts';
import { notSignedIn, type ValidSession } from '../find-session.ts';
import { scopeSchema, scopesError } from './session.ts';

const timeSchema = z.string().nullable();

const keySchema = z
  .object({
    id: int64Schema,
    name: z.string(),
    lastFour: z.string(),
    scopes: z.array(scopeSchema).readonly(),
    rateLimit: z
      .string()
      .nullable()
      .meta({ description: 'Such as `600/min`; null if the limit of the server applies.' }),
    state: z.enum(['active', 'expired', 'revoked']),
    activeUntil: timeSchema.meta({
      description:
        'The earlier of its expiry and the end of its overlap; null if it has no end or is not active.',
    }),
    createdAt: timeSchema,
    expiresAt: timeSchema,
    revokedAt: timeSchema,
    lastUsedAt: timeSchema,
  })
  .meta({ id: 'Key', description: 'An API key. Times are null for never.' });

const createdKeySchema = keySchema
  .extend({ key: z.string().meta({ description: 'The key itself, which no later answer has.' }) })
  .meta({ id: 'CreatedKey', description: 'A new API key.' });

const keyPath = z.object({ keyId: int64Schema });

function describeKey(apiKey: ApiKey, now: number): z.infer<typeof keySchema> {
  const { id, name, lastFour, scopes, rateLimit, createdAt, expiresAt } = apiKey;
  const end = apiKeyEnd(apiKey);
  return {
    id,
    name,
    lastFour,
    scopes,
    rateLimit: rateLimit === undefined ? null : formatRateLimit(rateLimit),
    state: apiKeyState(apiKey, now),
    activeUntil: timeOrNull(end > now && Number.isFinite(end) ? end : undefined),
    createdAt: timeOrNull(createdAt),
    expiresAt: timeOrNull(expiresAt),
    revokedAt: timeOrNull(apiKey.revokedAt),
    lastUsedAt: timeOrNull(apiKey.lastUsedAt),
  };
}

function timeOrNull(milliseconds: number | undefined): string | null {
  return milliseconds === undefined ? null : new Date(milliseconds).toISOString();
}

const keysPerPage = 100;

const keyIdSchema = z.int64({ error: () => 'must be the id of a key' });

export const listKeys = defineConsole({
  operationId: 'listKeys',
  method: 'GET',
  path: '/keys',
  summary: 'Returns a page of the keys of the workspace, newest first.',
  access: 'owner',
  queryParameters: z.object({ before: keyIdSchema.optional() }),
  success: {
    httpStatus: 200,
    schema: z
      .object({
        keys: z.array(keySchema).readonly(),
        nextBefore: z
          .int()
          .nullable()
          .meta({ description: 'The parameter `before` of the next page; null on the last page.' }),
      })
      .meta({ id: 'KeyPage' }),
  },
  async handle(context, { query: { before }, session, now }, { database }) {
    const page = { limit: keysPerPage, afterId: before };
    const { workspaceId } = session.caller;
    const { items, nextAfterId } = await database.listApiKeys(context, page, workspaceId);
    const keys = items.map((apiKey) => describeKey(apiKey, now));
    return { value: { keys, nextBefore: nextAfterId === undefined ? null : Number(nextAfterId) } };
  },
});

const daySeconds = 24 * 3600;

const nameError = () => `must be ${apiKeyNameRule}`;
const rateLimitError = () => `must be ${rateLimitRule}`;

export const createKey = defineConsole({
  operationId: 'createKey',
  method: 'POST',
  path: '/keys',
  summary: 'Creates a key in the workspace.',
  access: 'owner',
  requestBody: z
    .object({
      name: z.string({ error: nameError }).refine(isApiKeyName, { error: nameError }),
      scopes: z
        .array(scopeSchema, { error: scopesError })
        .min(1, { error: scopesError })
        .default([...defaultScopes]),
      expiresInDays: integerSchema(1, 3650).optional(),
      rateLimit: z
        .string({ error: rateLimitError })
        .refine((text) => parseRateLimit(text) !== undefined, { error: rateLimitError })
        .optional(),
    })
    .meta({ id: 'NewKey' }),
  success: { httpStatus: 201, schema: createdKeySchema },
  async handle(context, { body, session, now }, { database, environment }) {
    const { name, expiresInDays } = body;
    const { workspaceName, sessionId } = session.caller;
    const { text, ...secret } = newApiKey(environment);
    const apiKey = {
      ...secret,
      name,
      scopes: scopes.filter((scope) => body.scopes.includes(scope)),
      rateLimit: body.rateLimit === undefined ? undefined : parseRateLimit(body.rateLimit),
      expiresAt:
        expiresInDays === undefined ? undefined : now + Number(expiresInDays) * daySeconds * 1000,
    };
    const input = { workspaceName, apiKey, now, sessionId };
    const outcome = await database.write(context, 'createApiKey', input);
    // Its workspace was deleted just now, and the session with it.
    if ('refused' in outcome) return notSignedIn;
    return { value: { ...describeKey(outcome.ok, now), key: text } };
  },
});

export const rotateKey = defineConsole({
  operationId: 'rotateKey',
  method: 'POST',
  path: '/keys/{keyId}/rotation',
  summary: 'Creates a key in the place of another, which is revoked after an overlap.',
  access: 'owner',
  pathParameters: keyPath,
  requestBody: z
    .object({ overlapSeconds: integerSchema(0, 30 * daySeconds).default(BigInt(daySeconds)) })
    .meta({ id: 'KeyRotation' }),
  success: { httpStatus: 201, schema: createdKeySchema },
  errors: ['conflict'],
  async handle(context, { path: { keyId: id }, body: { overlapSeconds }, session, now }, services) {
    if (!(await hasKey(context, services, session, id))) return noSuchKey(id);
    const { text, ...secret } = newApiKey(services.environment);
    const overlapMilliseconds = Number(overlapSeconds) * 1000;
    const { sessionId } = session.caller;
    const input = { id, ...secret, overlapMilliseconds, now, sessionId };
    const outcome = await services.database.write(context, 'rotateApiKey', input);
    if ('ok' in outcome) {
      return { value: { ...describeKey(outcome.ok.replacement, now), key: text } };
    }
    return outcome.refused === 'not_active'
      ? fail('conflict', `Key ${id} is expired or revoked; create a new key instead`)
      : noSuchKey(id);
  },
});

export const revokeKey = defineConsole({
  operationId: 'revokeKey',
  method: 'DELETE',
  path: '/keys/{keyId}',
  summary: 'Revokes a key.',
  access: 'owner',
  pathParameters: keyPath,
  success: { httpStatus: 204 },
  async handle(context, { path: { keyId: id }, session, now }, services) {
    if (!(await hasKey(context, services, session, id))) return noSuchKey(id);
    const { sessionId } = session.caller;
    const outcome = await services.database.write(context, 'revokeApiKey', { id, now, sessionId });
    return 'refused' in outcome ? noSuchKey(id) : {};
  },
});

/** Whether the workspace of a session has a key. A key never moves to another workspace. */
async function hasKey(
  context: Context,
  { database }: ConsoleServices,
  { caller }: ValidSession,
  id: bigint,
): Promise<boolean> {
  const apiKey = await database.findApiKeyById(context, id);
  return apiKey?.workspaceId === caller.workspaceId;
}

function noSuchKey(id: bigint): Failure {
  return fail('not_found', `There is no key ${id}`);
}
