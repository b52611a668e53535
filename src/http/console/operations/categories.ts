import { z } from 'zod';
import { defineConsole } from '../console-operation.ts';

const numbersMax = 100;

export const listUnnamedCategories = defineConsole({
  operationId: 'listUnnamedCategories',
  method: 'GET',
  path: '/unnamed-categories',
  summary: 'Returns the lowest numbers that animals of the workspace have and no category has.',
  access: 'session',
  scope: 'pets:read',
  isLimited: true,
  success: {
    httpStatus: 200,
    schema: z
      .object({ numbers: z.array(z.string()).readonly() })
      .meta({ id: 'UnnamedCategories', description: 'Up to 100 numbers.' }),
  },
  async handle(context, { session: { caller } }, { database }) {
    const ids = await database.readUnnamedCategoryIds(context, caller.workspaceId, numbersMax);
    return { value: { numbers: ids.map(String) } };
  },
});
