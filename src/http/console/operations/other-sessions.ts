import { z } from 'zod';
import {
  endedSessionsMax,
  isSessionId,
  type ListedConsoleSession,
  type SessionsOf,
} from '../../../domain/access/console-session.ts';
import type { Context } from '../../../domain/values/context.ts';
import type { CommandWriter } from '../../../storage/contract/command-writer.ts';
import { fail } from '../../failure.ts';
import { defineConsole } from '../console-operation.ts';
import { operatorApiKeyName, type ValidSession } from '../find-session.ts';

const listedSessionSchema = z
  .object({
    id: z.string(),
    isOwn: z.boolean().meta({ description: 'Whether the request comes from this session.' }),
    kind: z.enum(['owner', 'api_key']),
    apiKeyName: z.string().nullable().meta({ description: 'Null for an owner.' }),
    workspace: z.string().nullable().meta({ description: 'Null for an owner.' }),
    signedInAt: z.string(),
    lastActiveAt: z.string(),
    expiresAt: z.string(),
    address: z.string().nullable().meta({
      description: 'The address of the client at sign-in; null if unknown. Only an owner sees it.',
    }),
  })
  .meta({ id: 'ListedSession', description: 'A session that has not ended.' });

const sessionsPerPage = 100;

/** Enough for 200 000 sessions, which are far more than can be open. */
const stepsMax = 1000;

const placeForm = /^([0-9]{1,15})\.([0-9a-f]{16})$/;
const placeError = () => 'must be nextAfter of the page before';

export const listSessions = defineConsole({
  operationId: 'listSessions',
  method: 'GET',
  path: '/sessions',
  summary:
    'Returns a page of the sessions that have not ended, newest first: for an owner those of all owners and of the keys of the workspace, else those of the same key.',
  access: 'session',
  isLimited: true,
  queryParameters: z.object({
    after: z.string({ error: placeError }).regex(placeForm, { error: placeError }).optional(),
  }),
  success: {
    httpStatus: 200,
    schema: z
      .object({
        sessions: z.array(listedSessionSchema).readonly(),
        nextAfter: z
          .string()
          .nullable()
          .meta({ description: 'The parameter `after` of the next page; null on the last page.' }),
      })
      .meta({ id: 'SessionPage' }),
  },
  async handle(context, { query, session, now }, { database }) {
    const [, signedInAt, id = ''] = placeForm.exec(query.after ?? '') ?? [];
    const after = signedInAt === undefined ? undefined : { signedInAt: Number(signedInAt), id };
    const filter = { of: visibleTo(session), now, limit: sessionsPerPage, after };
    const { items, next } = await database.listConsoleSessions(context, filter);
    const sessions = items.map((one) => describeListed(one, session));
    return { value: { sessions, nextAfter: next ? `${next.signedInAt}.${next.id}` : null } };
  },
});

function describeListed(
  { id, apiKey, workspaceName, signedInAt, lastActiveAt, expiresAt, address }: ListedConsoleSession,
  { caller, kind }: ValidSession,
): z.infer<typeof listedSessionSchema> {
  return {
    id,
    isOwn: id === caller.sessionId,
    kind: apiKey === undefined ? 'owner' : 'api_key',
    apiKeyName: apiKey === undefined ? null : (apiKey.name ?? operatorApiKeyName),
    workspace: workspaceName ?? null,
    signedInAt: new Date(signedInAt).toISOString(),
    lastActiveAt: new Date(lastActiveAt).toISOString(),
    expiresAt: new Date(expiresAt).toISOString(),
    address: (kind === 'owner' ? address : undefined) ?? null,
  };
}

export const endSession = defineConsole({
  operationId: 'endSession',
  method: 'DELETE',
  path: '/sessions/{sessionId}',
  summary: 'Ends one of the sessions that the caller can list.',
  access: 'session',
  pathParameters: z.object({ sessionId: z.string().refine(isSessionId) }),
  success: { httpStatus: 204 },
  async handle(context, { path: { sessionId: id }, session, now }, { database }) {
    const filter = { of: { whose: 'id', id }, now, limit: 1 } as const;
    const { items } = await database.listConsoleSessions(context, filter);
    const digests = items.filter((one) => isVisible(one, session)).map(({ digest }) => digest);
    const endedCount = await endAll(context, database, digests, session, now);
    return endedCount > 0 ? {} : fail('not_found', `There is no session ${id}`);
  },
});

export const endSessions = defineConsole({
  operationId: 'endSessions',
  method: 'DELETE',
  path: '/sessions',
  summary: 'Ends all sessions of owners if the caller is one, else those of the same key.',
  access: 'session',
  queryParameters: z.object({
    except: z.enum(['own'], { error: () => 'must be own' }).optional(),
  }),
  success: {
    httpStatus: 200,
    schema: z.object({ endedCount: z.int() }).meta({ id: 'EndedSessions' }),
  },
  async handle(context, { query: { except }, session, now }, { database }) {
    const { apiKeyDigest } = session;
    const of: SessionsOf =
      apiKeyDigest === null ? { whose: 'owners' } : { whose: 'key', apiKeyDigest };
    const filter = { of, now, limit: endedSessionsMax };
    let endedCount = 0;
    // In steps, so that other writes do not wait long, and until none is left, also of those that were opened during a step.
    for (let step = 0; step < stepsMax; step += 1) {
      const { items } = await database.listConsoleSessions(context, filter);
      const digests = items
        .map(({ digest }) => digest)
        .filter((digest) => except === undefined || digest !== session.digest);
      if (digests.length === 0) break;
      endedCount += await endAll(context, database, digests, session, now);
    }
    const cookie = { token: '', seconds: 0 };
    return { value: { endedCount }, ...(except === undefined ? { cookie } : {}) };
  },
});

/** Returns how many have ended. If none is left to end, nothing is written. */
async function endAll(
  context: Context,
  database: CommandWriter,
  digests: readonly string[],
  { caller: { sessionId: endedBy } }: ValidSession,
  now: number,
): Promise<number> {
  if (digests.length === 0) return 0;
  const { ok } = await database.write(context, 'endConsoleSessions', { digests, now, endedBy });
  return ok.length;
}

/** The sessions that a session can list and end. An owner has every workspace, so owners see each other in all of them. */
function visibleTo({ caller, apiKeyDigest }: ValidSession): SessionsOf {
  return apiKeyDigest === null
    ? { whose: 'owners_and_keys', workspaceId: caller.workspaceId }
    : { whose: 'key', apiKeyDigest };
}

/** Whether the list of the sessions that a session can end has one. */
function isVisible(
  { apiKeyDigest, workspaceName }: ListedConsoleSession,
  session: ValidSession,
): boolean {
  if (session.apiKeyDigest !== null) return apiKeyDigest === session.apiKeyDigest;
  return apiKeyDigest === undefined || workspaceName === session.caller.workspaceName;
}
