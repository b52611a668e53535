import { z } from 'zod';
import { environments, scopes } from '../../../domain/access/api-key.ts';
import type { WorkspaceReads } from '../../../domain/access/workspace.ts';
import type { ConsoleServices } from '../console-services.ts';
import type { FoundSession } from '../find-session.ts';

export const textSchema = z.string({ error: () => 'must be a string' });

export const scopeSchema = z
  .enum(scopes, { error: () => `must be a list of ${scopes.join(', ')}` })
  .meta({ id: 'Scope' });

export const sessionEndSchema = z
  .object({
    expiresAt: z.string(),
    secondsLeft: z.int().meta({
      description: 'Time until the end. It is right also if the clock of the page is wrong.',
    }),
    idleSeconds: z.int().meta({ description: 'Time since the last action that was reported.' }),
    mayContinue: z.boolean().meta({ description: 'Whether an action moves the end.' }),
  })
  .meta({ id: 'SessionEnd', description: 'When a session ends.' });

export const workspaceNamesSchema = z
  .object({ workspaces: z.array(z.string()).readonly(), hasMoreWorkspaces: z.boolean() })
  .meta({ id: 'WorkspaceNames', description: 'The first workspaces, by name.' });

export const sessionSchema = z
  .object({
    id: z.string(),
    kind: z.enum(['owner', 'api_key']).meta({
      description: 'An owner signed in with a link of the command line, and can manage keys.',
    }),
    workspace: z.string(),
    environment: z.enum(environments),
    scopes: z.array(scopeSchema).readonly(),
    apiKeyId: z.int().nullable().meta({ description: 'Null for an owner.' }),
    apiKeyName: z.string().nullable(),
    ...sessionEndSchema.shape,
    // An owner can choose from these.
    ...workspaceNamesSchema.partial().shape,
  })
  .meta({ id: 'Session', description: 'The session of the cookie.' });

export async function describeSession(
  { database, environment }: ConsoleServices,
  found: FoundSession,
  now: number,
): Promise<z.infer<typeof sessionSchema>> {
  const { caller, kind, apiKeyName } = found;
  return {
    id: caller.sessionId,
    kind,
    workspace: caller.workspaceName,
    environment,
    scopes: caller.scopes,
    apiKeyId: caller.apiKeyId === undefined ? null : Number(caller.apiKeyId),
    apiKeyName,
    ...describeEnd(found, now),
    ...(kind === 'owner' ? await findWorkspaceNames(database, '') : {}),
  };
}

/** The seconds hold for a page whose clock is wrong. */
export function describeEnd(
  { lastActiveAt, validUntil, validUntilMax }: FoundSession,
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
export async function findWorkspaceNames(
  database: WorkspaceReads,
  prefix: string,
): Promise<z.infer<typeof workspaceNamesSchema>> {
  const names = await database.listWorkspaceNames(prefix, workspacesMax + 1);
  const hasMoreWorkspaces = names.length > workspacesMax;
  return { workspaces: names.slice(0, workspacesMax), hasMoreWorkspaces };
}
