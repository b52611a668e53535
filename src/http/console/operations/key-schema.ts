import { z } from 'zod';
import { type ApiKey, apiKeyEnd, apiKeyState } from '../../../domain/access/api-key.ts';
import { type Failure, fail } from '../../answer/answer.ts';
import { int64Schema } from '../../operations/schemas.ts';
import type { ConsoleServices } from '../console-services.ts';
import type { FoundSession } from '../find-session.ts';
import { scopeSchema } from './session-schema.ts';

const timeSchema = z.string().nullable();

export const keySchema = z
  .object({
    id: int64Schema,
    name: z.string(),
    lastFour: z.string(),
    scopes: z.array(scopeSchema).readonly(),
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

export const createdKeySchema = z
  .object({
    ...keySchema.shape,
    key: z.string().meta({ description: 'The key itself, which no later answer has.' }),
  })
  .meta({ id: 'CreatedKey', description: 'A new API key.' });

export const keyPath = z.object({ keyId: int64Schema });

/** A whole number, which the reader of JSON returns as a bigint. */
export function wholeNumber(min: number, max: number) {
  const error = () => `must be a whole number from ${min} to ${max}`;
  return z.int64({ error }).refine((value) => value >= min && value <= max, { error });
}

export function describeKey(apiKey: ApiKey, now: number): z.infer<typeof keySchema> {
  const { id, name, lastFour, scopes, createdAt, expiresAt, revokedAt, lastUsedAt } = apiKey;
  const end = apiKeyEnd(apiKey);
  return {
    id,
    name,
    lastFour,
    scopes,
    state: apiKeyState(apiKey, now),
    activeUntil: timeOrNull(end > now && Number.isFinite(end) ? end : undefined),
    createdAt: timeOrNull(createdAt),
    expiresAt: timeOrNull(expiresAt),
    revokedAt: timeOrNull(revokedAt),
    lastUsedAt: timeOrNull(lastUsedAt),
  };
}

function timeOrNull(milliseconds: number | undefined): string | null {
  return milliseconds === undefined ? null : new Date(milliseconds).toISOString();
}

/** Whether the workspace of a session has a key. No key moves to another workspace, and no id is used again. */
export async function hasKey(
  { database }: ConsoleServices,
  { caller }: FoundSession,
  id: bigint,
): Promise<boolean> {
  const apiKey = await database.findApiKeyById(id);
  return apiKey?.workspaceName === caller.workspaceName;
}

export function noSuchKey(id: bigint): Failure {
  return fail('not_found', `There is no key ${id}`);
}
