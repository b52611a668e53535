import { z } from 'zod';
import { environments, type Scope, scopes } from '../../../domain/access/api-key.ts';
import { sessionMilliseconds } from '../../../domain/access/console-session.ts';
import {
  isWorkspaceName,
  isWorkspaceNamePrefix,
  type Workspace,
  type WorkspaceReads,
} from '../../../domain/access/workspace.ts';
import type { Context } from '../../../domain/values/context.ts';
import type { Int64 } from '../../../domain/values/int64.ts';
import { isFailure } from '../../failure.ts';
import { readEventPage } from '../../feed/feed-position.ts';
import { type ConsoleServices, defineConsole } from '../console-operation.ts';
import type { ValidSession } from '../find-session.ts';

export const anyTextSchema = z.string({ error: () => 'must be a string' });

export const scopesError = () => `must be a list of ${scopes.join(', ')}`;

export const scopeSchema = z.enum(scopes, { error: scopesError }).meta({ id: 'Scope' });

const sessionEndSchema = z
  .object({
    expiresAt: z.string(),
    secondsLeft: z.int().meta({
      description: 'Time until the end. It is right also if the clock of the page is wrong.',
    }),
    idleSeconds: z.int().meta({ description: 'Time since the last action that was reported.' }),
    mayContinue: z.boolean().meta({ description: 'Whether an action moves the end.' }),
  })
  .meta({ id: 'SessionEnd', description: 'When a session ends.' });

const workspaceNamesSchema = z
  .object({ workspaces: z.array(z.string()).readonly(), hasMoreWorkspaces: z.boolean() })
  .meta({ id: 'WorkspaceNames', description: 'The first workspaces, by name.' });

export const sessionSchema = z
  .object({
    id: z.string(),
    kind: z.enum(['owner', 'api_key']).meta({
      description: 'An owner signed in with a link of the command line, and can manage keys.',
    }),
    workspace: z.string().nullable().meta({
      description:
        'For an owner that of the request, null if it does not exist; for a key its own.',
    }),
    environment: z.enum(environments),
    scopes: z.array(scopeSchema).readonly(),
    apiKeyId: z.int().nullable().meta({ description: 'Null for an owner.' }),
    apiKeyName: z.string().nullable(),
    eventPosition: z
      .int()
      .nullable()
      .meta({
        description:
          'The newest position of the feed of the workspace. What the session reads after this answer has all changes up to it. ' +
          'Null without a workspace, without the scope events:read, and if the server keeps no events.',
      }),
    ...sessionEndSchema.shape,
    // An owner can choose from these.
    ...workspaceNamesSchema.partial().shape,
  })
  .meta({ id: 'SessionAnswer', description: 'The session of the cookie.' });

/** The workspace that a page shows, as its address names it. */
export const workspaceQuery = z.object({ workspace: z.string().optional() });

export const getSession = defineConsole({
  operationId: 'getSession',
  method: 'GET',
  path: '/session',
  summary: 'Returns the session of the cookie.',
  access: 'session',
  queryParameters: workspaceQuery,
  success: { httpStatus: 200, schema: sessionSchema },
  handle: async (context, { query, session, now }, services) => ({
    value: await describeSession(context, services, session, now, query.workspace),
  }),
});

export const checkSession = defineConsole({
  operationId: 'checkSession',
  method: 'GET',
  path: '/session/state',
  summary: 'Succeeds while the session has not ended, and reads nothing else.',
  access: 'session',
  success: { httpStatus: 204 },
  handle: () => ({}),
});

/** Reports that come sooner after the last one are ignored, so that a session costs at most one write in this time. */
const reportMillisecondsMin = 60_000;

export const reportActivity = defineConsole({
  operationId: 'reportActivity',
  method: 'POST',
  path: '/session/activity',
  summary: 'Reports an action of the user, which moves the end of the session.',
  access: 'session',
  success: { httpStatus: 200, schema: sessionEndSchema },
  handle(_context, { session, now }, { uses }) {
    const { digest, lastActiveAt, validUntilMax } = session;
    if (now - lastActiveAt < reportMillisecondsMin) return { value: describeEnd(session, now) };
    const expiresAt = Math.min(now + sessionMilliseconds, validUntilMax);
    uses.noteSessionActivity({ digest, lastActiveAt: now, expiresAt });
    return { value: describeEnd({ ...session, lastActiveAt: now, validUntil: expiresAt }, now) };
  },
});

export const findWorkspaces = defineConsole({
  operationId: 'findWorkspaces',
  method: 'GET',
  path: '/workspaces',
  summary: 'Returns the workspaces whose names begin with a text.',
  access: 'owner',
  queryParameters: z.object({ prefix: z.string().default('') }),
  success: { httpStatus: 200, schema: workspaceNamesSchema },
  handle: async (context, { query: { prefix } }, { database }) => ({
    value: await findWorkspaceNames(context, database, prefix),
  }),
});

export async function describeSession(
  context: Context,
  services: ConsoleServices,
  found: ValidSession,
  now: number,
  wanted: string | undefined,
): Promise<z.infer<typeof sessionSchema>> {
  const { database, environment, petPositions } = services;
  const { caller, kind, apiKeyName } = found;
  const isOwner = kind === 'owner';
  const workspace = isOwner
    ? await findNamed(context, database, wanted ?? caller.workspaceName)
    : { id: caller.workspaceId, name: caller.workspaceName };
  if (workspace !== undefined && caller.scopes.includes('pets:read')) {
    // Without marks, the first jump reads them itself.
    petPositions.prepare(workspace.id).catch(() => {});
  }
  const [eventPosition, names] = await Promise.all([
    workspace && findEventPosition(context, services, caller.scopes, workspace.id),
    isOwner ? findWorkspaceNames(context, database, '') : {},
  ]);
  return {
    id: caller.sessionId,
    kind,
    workspace: workspace?.name ?? null,
    environment,
    scopes: caller.scopes,
    apiKeyId: caller.apiKeyId === undefined ? null : Number(caller.apiKeyId),
    apiKeyName,
    eventPosition: eventPosition ?? null,
    ...describeEnd(found, now),
    ...names,
  };
}

/** The response cache answers a session with nothing older than this. */
async function findEventPosition(
  context: Context,
  { feed }: ConsoleServices,
  scopes: readonly Scope[],
  workspaceId: Int64,
): Promise<number | undefined> {
  if (!scopes.includes('events:read')) return undefined;
  const page = await readEventPage(feed, context, workspaceId, { after: 'now', limit: 1 });
  return isFailure(page) ? undefined : page.head;
}

async function findNamed(
  context: Context,
  database: WorkspaceReads,
  name: string,
): Promise<Workspace | undefined> {
  // PostgreSQL rejects a text with a NUL.
  return isWorkspaceName(name) ? await database.findWorkspace(context, name) : undefined;
}

/** The seconds are also right if the clock of the page is wrong. */
function describeEnd(
  { lastActiveAt, validUntil, validUntilMax }: ValidSession,
  now: number,
): z.infer<typeof sessionEndSchema> {
  return {
    expiresAt: new Date(validUntil).toISOString(),
    secondsLeft: Math.floor((validUntil - now) / 1000),
    idleSeconds: Math.floor((now - lastActiveAt) / 1000),
    mayContinue: validUntil < validUntilMax,
  };
}

const workspacesMax = 100;

/** The first workspaces by name, so that a session costs the same with any number of them. */
async function findWorkspaceNames(
  context: Context,
  database: WorkspaceReads,
  prefix: string,
): Promise<z.infer<typeof workspaceNamesSchema>> {
  // PostgreSQL rejects a text with a NUL.
  const mayExist = isWorkspaceNamePrefix(prefix);
  const names = mayExist
    ? await database.listWorkspaceNames(context, prefix, workspacesMax + 1)
    : [];
  const hasMoreWorkspaces = names.length > workspacesMax;
  return { workspaces: names.slice(0, workspacesMax), hasMoreWorkspaces };
}
