import { z } from 'zod';
import { isWorkspaceName } from '../../../domain/access/workspace.ts';
import { echo } from '../../../domain/echo.ts';
import { fail } from '../../answer/answer.ts';
import { defineConsole } from '../console-operation.ts';
import { notSignedIn } from '../find-session.ts';
import { describeSession, sessionSchema, textSchema } from './session-schema.ts';

export const chooseWorkspace = defineConsole({
  operationId: 'chooseWorkspace',
  method: 'PATCH',
  path: '/session',
  summary: 'Sets the workspace of the session.',
  access: 'owner',
  requestBody: z.object({ workspace: textSchema }).meta({ id: 'WorkspaceChoice' }),
  success: { httpStatus: 200, schema: sessionSchema },
  errors: ['not_found'],
  async handle({ body: { workspace }, session: { digest }, now }, services) {
    const { database, sessions, hideApiKeys } = services;
    // PostgreSQL rejects a text with a NUL.
    const outcome = isWorkspaceName(workspace)
      ? await database.write('chooseConsoleWorkspace', { digest, workspaceName: workspace })
      : ({ refused: 'no_such_workspace' } as const);
    if ('refused' in outcome && outcome.refused === 'no_such_workspace') {
      return fail('not_found', `There is no workspace ${echo(workspace, hideApiKeys)}`);
    }
    const found = await sessions.ofDigest(digest);
    if ('refused' in outcome || found === undefined) return notSignedIn;
    return { value: await describeSession(services, found, now) };
  },
});
