import { apiKeyEnd, scopes } from '../../domain/access/api-key.ts';
import {
  type ConsoleReads,
  type ConsoleSession,
  sessionMillisecondsMax,
} from '../../domain/access/console-session.ts';
import { isWorkspaceName, type WorkspaceReads } from '../../domain/access/workspace.ts';
import type { Awaitable } from '../../domain/values/awaitable.ts';
import type { Context } from '../../domain/values/context.ts';
import {
  type Authenticate,
  type Authentication,
  callerOf,
  toOperatorKey,
} from '../access/authenticate.ts';
import type { Caller } from '../access/caller.ts';
import { createSecretCache, type SecretCache } from '../access/secret-cache.ts';
import { fail } from '../failure.ts';
import { basePath, type PublicUrls } from '../public-urls.ts';
import type { RequestContext } from '../request-context.ts';
import { operatorMark } from './operator-mark.ts';
import { type CookieOwner, readSessionCookies } from './session-cookie.ts';
import { digestToken } from './token.ts';

/** A session that has not ended. */
export interface ValidSession {
  readonly caller: Caller & { readonly sessionId: string };
  /** SHA-256 of its token, in hexadecimal. */
  readonly digest: string;
  readonly kind: 'owner' | 'api_key';
  /** Of the key that signed in; null for an owner. */
  readonly apiKeyName: string | null;
  readonly apiKeyDigest: string | null;
  /** The last action of the user. All times are milliseconds since 1970. */
  readonly lastActiveAt: number;
  /** The end of the session or of its key, whichever comes first. */
  readonly validUntil: number;
  /** No action moves the end beyond this. */
  readonly validUntilMax: number;
}

export interface Sessions {
  /** Finds the session of a request by its cookie, in the workspace that the request names. */
  ofRequest(context: RequestContext): Awaitable<ValidSession | undefined>;
  /** Finds one by the SHA-256 of its token, in hexadecimal. */
  ofDigest(context: Context, digest: string): Awaitable<ValidSession | undefined>;
}

export interface SessionAuthentication extends Authentication, CookieOwner {
  readonly database: Authentication['database'] &
    ConsoleReads &
    Pick<WorkspaceReads, 'findWorkspace'>;
  readonly publicUrls: PublicUrls;
}

export function createSessions(options: SessionAuthentication): Sessions {
  const { database, environment, now, publicUrls } = options;
  const publicUrl = publicUrls[environment];
  const operator = toOperatorKey(options);
  const findOne = async (context: Context, digest: string) => {
    const session = await database.findConsoleSession(context, digest);
    return session && (await toValidSession(session, digest, operator));
  };
  const find = createSecretCache<ValidSession>(database, now, {
    findOne,
    async findMany(context, digests) {
      const found = new Map<string, ValidSession>();
      for (const digest of await database.filterConsoleSessions(context, digests)) {
        const session = await findOne(context, digest);
        if (session !== undefined) found.set(digest, session);
      }
      return found;
    },
  });
  return {
    async ofRequest(context) {
      const { headers } = context.request;
      const baseUrl = publicUrl ?? `${context.target.origin}${basePath}`;
      const tokens = readSessionCookies(headers, baseUrl, options);
      const found = await findOnly(context.call, tokens, find);
      const named = headers.get(sessionHeader);
      if (found === undefined || named === null) return found;
      // All tabs share the cookie, and the same ids are other animals in each workspace. So each page names the session and the
      // workspace that it shows.
      const start = `${found.caller.sessionId}.`;
      if (!named.startsWith(start)) return undefined;
      return await inWorkspace(context.call, found, named.slice(start.length), database);
    },
    ofDigest: (context, digest) => find(context, digest, ''),
  };
}

/** Other programs do not set more cookies of one name by accident. Each costs a look-up, also for a caller without a session. */
const tokensMax = 20;

/**
 * The session of the only token that has one. Other programs of the host can set cookies of this name that no answer removes,
 * such as partitioned ones. Two sessions open nothing: the server cannot know which one is meant.
 */
async function findOnly(
  context: Context,
  tokens: readonly string[],
  find: SecretCache<ValidSession>,
): Promise<ValidSession | undefined> {
  if (tokens.length > tokensMax) return undefined;
  const all = await Promise.all(tokens.map((token) => find(context, digestToken(token), token)));
  const sessions = all.filter((found) => found !== undefined);
  return sessions.length === 1 ? sessions[0] : undefined;
}

/** The session in a workspace: an owner has every workspace, and a key only its own. Undefined if it does not have this one. */
async function inWorkspace(
  context: Context,
  session: ValidSession,
  name: string,
  database: SessionAuthentication['database'],
): Promise<ValidSession | undefined> {
  const { kind, caller } = session;
  if (name === caller.workspaceName) return session;
  if (kind !== 'owner' || !isWorkspaceName(name)) return undefined;
  const workspace = await database.findWorkspace(context, name);
  return workspace && { ...session, caller: ownerIn(workspace, caller.sessionId) };
}

function ownerIn({ id, name }: ConsoleSession['workspace'], sessionId: string) {
  const owner = { id: undefined, workspaceId: id, workspaceName: name, scopes };
  return { ...callerOf({ ...owner, rateLimit: undefined }, sessionId), sessionId };
}

/** Names the session and the workspace that a page shows. */
export const sessionHeader = 'x-console-session';

export function createAuthenticateSession({ ofRequest }: Sessions): Authenticate {
  return async (context) => (await ofRequest(context))?.caller ?? notSignedIn;
}

/** Keys cannot create keys, and belong to one workspace. */
export const ownersOnly = fail(
  'insufficient_scope',
  'Only an owner can do this: sign in with a link from the command line (animal-store console)',
);

export const notSignedIn = fail('missing_api_key', 'Sign in to the console');

/** Undefined if the key is not, or no longer, valid. */
async function toValidSession(
  session: ConsoleSession,
  digest: string,
  operator: ReturnType<typeof toOperatorKey>,
): Promise<ValidSession | undefined> {
  const { id: sessionId, workspace, apiKeyDigest, apiKey } = session;
  const found = (caller: Caller, apiKeyName: string | null, apiKeyEndsAt: number) => ({
    caller: { ...caller, sessionId },
    digest,
    kind: apiKeyName === null ? ('owner' as const) : ('api_key' as const),
    apiKeyName,
    apiKeyDigest: apiKeyDigest ?? null,
    lastActiveAt: session.lastActiveAt,
    validUntil: Math.min(session.expiresAt, apiKeyEndsAt),
    validUntilMax: Math.min(session.createdAt + sessionMillisecondsMax, apiKeyEndsAt),
  });
  if (apiKey !== undefined) return found(callerOf(apiKey), apiKey.name, apiKeyEnd(apiKey));
  const never = Number.POSITIVE_INFINITY;
  if (apiKeyDigest === undefined) {
    return found(ownerIn(workspace, sessionId), null, never);
  }
  // The operator's own key is not stored. It is valid while the server runs with it.
  if (operator === undefined) return undefined;
  const mark = await operatorMark(operator.digest);
  return apiKeyDigest === mark ? found(operator.caller, operatorApiKeyName, never) : undefined;
}

/** The variable that sets the key. */
export const operatorApiKeyName = 'ANIMAL_STORE_API_KEY';
