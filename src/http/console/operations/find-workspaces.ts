import { z } from 'zod';
import { isWorkspaceNamePrefix } from '../../../domain/access/workspace.ts';
import { defineConsole } from '../console-operation.ts';
import { findWorkspaceNames, workspaceNamesSchema } from './session-schema.ts';

export const findWorkspaces = defineConsole({
  operationId: 'findWorkspaces',
  method: 'GET',
  path: '/workspaces',
  summary: 'Returns the workspaces whose names begin with a text.',
  access: 'owner',
  queryParameters: z.object({ prefix: z.string().default('') }),
  success: { httpStatus: 200, schema: workspaceNamesSchema },
  handle: async ({ query: { prefix } }, { database }) => ({
    // PostgreSQL rejects a text with a NUL.
    value: isWorkspaceNamePrefix(prefix)
      ? await findWorkspaceNames(database, prefix)
      : { workspaces: [], hasMoreWorkspaces: false },
  }),
});
