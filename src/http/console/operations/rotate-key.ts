import { z } from 'zod';
import { newApiKey } from '../../access/new-api-key.ts';
import { fail } from '../../answer/answer.ts';
import { defineConsole } from '../console-operation.ts';
import {
  createdKeySchema,
  describeKey,
  hasKey,
  keyPath,
  noSuchKey,
  wholeNumber,
} from './key-schema.ts';

const overlapSecondsMax = 30 * 24 * 3600;
const overlapSecondsDefault = 24n * 3600n;

export const rotateKey = defineConsole({
  operationId: 'rotateKey',
  method: 'POST',
  path: '/keys/{keyId}/rotation',
  summary: 'Creates a key in the place of another, which is revoked after an overlap.',
  access: 'owner',
  pathParameters: keyPath,
  requestBody: z
    .object({ overlapSeconds: wholeNumber(0, overlapSecondsMax).default(overlapSecondsDefault) })
    .meta({ id: 'KeyRotation' }),
  success: { httpStatus: 201, schema: createdKeySchema },
  errors: ['conflict'],
  async handle({ path: { keyId: id }, body: { overlapSeconds }, session, now }, services) {
    if (!(await hasKey(services, session, id))) return noSuchKey(id);
    const { text, digest, lastFour } = newApiKey(services.environment);
    const overlapMilliseconds = Number(overlapSeconds) * 1000;
    const { sessionId } = session.caller;
    const input = { id, digest, lastFour, overlapMilliseconds, now, sessionId };
    const outcome = await services.database.write('rotateApiKey', input);
    if ('ok' in outcome) {
      return { value: { ...describeKey(outcome.ok.replacement, now), key: text } };
    }
    return outcome.refused === 'not_active'
      ? fail('conflict', `Key ${id} is expired or revoked; create a new key instead`)
      : noSuchKey(id);
  },
});
