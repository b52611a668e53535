import { z } from 'zod';
import { defineConsole } from '../console-operation.ts';
import { describeKey, keySchema } from './key-schema.ts';

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
  async handle({ query: { before }, session, now }, { database }) {
    const page = { limit: keysPerPage, belowId: before };
    const { workspaceId } = session.caller;
    const { items, nextBelowId } = await database.listApiKeys(page, workspaceId);
    const keys = items.map((apiKey) => describeKey(apiKey, now));
    return { value: { keys, nextBefore: nextBelowId === undefined ? null : Number(nextBelowId) } };
  },
});
