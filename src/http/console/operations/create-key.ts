import { z } from 'zod';
import {
  apiKeyNameRule,
  defaultScopes,
  isApiKeyName,
  scopes,
} from '../../../domain/access/api-key.ts';
import { newApiKey } from '../../access/new-api-key.ts';
import { defineConsole } from '../console-operation.ts';
import { notSignedIn } from '../find-session.ts';
import { createdKeySchema, describeKey, wholeNumber } from './key-schema.ts';
import { scopeSchema } from './session-schema.ts';

const nameError = () => `must be ${apiKeyNameRule}`;
const scopesError = () => `must be a list of ${scopes.join(', ')}`;
const dayMilliseconds = 24 * 3_600_000;

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
      expiresInDays: wholeNumber(1, 3650).optional(),
    })
    .meta({ id: 'NewKey' }),
  success: { httpStatus: 201, schema: createdKeySchema },
  async handle({ body, session, now }, { database, environment }) {
    const { name, expiresInDays } = body;
    const { workspaceName, sessionId } = session.caller;
    const { text, digest, lastFour } = newApiKey(environment);
    const apiKey = {
      name,
      digest,
      lastFour,
      scopes: scopes.filter((scope) => body.scopes.includes(scope)),
      rateLimit: undefined,
      expiresAt:
        expiresInDays === undefined ? undefined : now + Number(expiresInDays) * dayMilliseconds,
    };
    const input = { workspaceName, apiKey, now, sessionId };
    const outcome = await database.write('createApiKey', input);
    // Its workspace was deleted just now, and the session with it.
    if ('refused' in outcome) return notSignedIn;
    return { value: { ...describeKey(outcome.ok, now), key: text } };
  },
});
