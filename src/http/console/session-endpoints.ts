import { z } from 'zod';
import { sessionMilliseconds } from '../../domain/access/console.ts';
import {
  isWorkspaceName,
  isWorkspaceNamePrefix,
  type WorkspaceReads,
} from '../../domain/access/workspace.ts';
import { echo } from '../../domain/echo.ts';
import { invalidApiKey, realm } from '../access/authenticate.ts';
import { type Answer, type Failure, fail, isFailure } from '../answer/answer.ts';
import { consolePath } from '../public-urls.ts';
import { clientAddress } from '../request/client-address.ts';
import type { RequestContext, Responder } from '../request-context.ts';
import type { Endpoint } from '../router.ts';
import { type FoundSession, notSignedIn } from './find-session.ts';
import { type ConsoleToken, digestToken, isConsoleToken, newConsoleToken } from './new-token.ts';
import { refuseOtherAddress } from './same-origin.ts';
import {
  type ConsoleServices,
  forSession,
  jsonAnswer,
  ownersOnly,
  readConsoleBody,
  readSessionBody,
} from './services.ts';
import { describeEnd, noteActivity } from './session-activity.ts';
import {
  formatRemovals,
  formatSessionCookie,
  readSessionCookies,
  removePlantedCookies,
} from './session-cookie.ts';
import { createSignInLimit, type SignInLimit } from './sign-in-limit.ts';

/** `/console/v1/session`: who is signed in, signing in and out, and the workspace that an owner looks at. */
export function sessionEndpoints(services: ConsoleServices): Endpoint<Responder>[] {
  const path = `${consolePath}/v1/session`;
  const limit = createSignInLimit(services.steadyNow);
  return [
    {
      method: 'GET',
      path,
      value: forSession(services, async (_context, found) =>
        jsonAnswer(200, await describeSession(services, found)),
      ),
    },
    {
      method: 'GET',
      path: `${consolePath}/v1/workspaces`,
      value: forSession(services, ({ target }, { kind }) =>
        kind === 'owner' ? findWorkspaces(services, target.search) : ownersOnly,
      ),
    },
    { method: 'POST', path, value: (context) => signIn(context, services, limit) },
    {
      method: 'PATCH',
      path,
      value: forSession(services, (context, found) => chooseWorkspace(context, services, found)),
    },
    { method: 'DELETE', path, value: (context) => signOut(context, services) },
    {
      method: 'POST',
      path: `${path}/activity`,
      value: forSession(services, (_context, found) => noteActivity(services, found)),
    },
  ];
}

/** What the page is told of a session. */
async function describeSession(
  { database, environment, now }: ConsoleServices,
  found: FoundSession,
) {
  const { caller, kind, apiKeyName } = found;
  const session = {
    id: caller.sessionId,
    kind,
    workspace: caller.workspaceName,
    environment,
    scopes: caller.scopes,
    apiKeyId: caller.apiKeyId === undefined ? null : Number(caller.apiKeyId),
    apiKeyName,
    ...describeEnd(found, now()),
  };
  if (kind !== 'owner') return session;
  return { ...session, ...(await listWorkspaces(database, '')) };
}

const workspacesMax = 100;

/** The first workspaces by name, so that a session costs the same with any number of them. */
async function listWorkspaces(database: WorkspaceReads, prefix: string) {
  const names = await database.listWorkspaceNames(prefix, workspacesMax + 1);
  const hasMoreWorkspaces = names.length > workspacesMax;
  return { workspaces: names.slice(0, workspacesMax), hasMoreWorkspaces };
}

/** `/console/v1/workspaces?prefix=`: the first whose names begin so. */
async function findWorkspaces({ database }: ConsoleServices, search: string): Promise<Answer> {
  const prefix = new URLSearchParams(search).get('prefix') ?? '';
  // What no name begins with is not looked for: PostgreSQL takes no text with a NUL.
  const found = isWorkspaceNamePrefix(prefix)
    ? await listWorkspaces(database, prefix)
    : { workspaces: [], hasMoreWorkspaces: false };
  return jsonAnswer(200, found);
}

const text = z.string({ error: () => 'must be a string' });
const signInSchema = z.object({ link: text.optional(), apiKey: text.optional() });

const signInRules = {
  faultsOf: (body: Readonly<Record<string, unknown>>) =>
    'link' in body === 'apiKey' in body ? ['The body must have either link or apiKey'] : [],
  // Callers without a key or session can send these bodies. The largest valid one has less than 600 bytes.
  bytesMax: 1024,
};

async function signIn(
  context: RequestContext,
  services: ConsoleServices,
  limit: SignInLimit,
): Promise<Answer | Failure> {
  const { signIns, reportRefusal } = services;
  const result = await trySignIn(context, services, limit);
  if (!isFailure(result)) {
    signIns.ok += 1;
    return result;
  }
  signIns.refused += 1;
  const reason = result === invalidLink ? 'unknown_link' : result.code;
  reportRefusal(context, 'sign-in', result === invalidApiKey ? 'unknown_key' : reason);
  return result;
}

async function trySignIn(
  context: RequestContext,
  services: ConsoleServices,
  limit: SignInLimit,
): Promise<Answer | Failure> {
  const { sessions, database, environment, publicUrls, trustedProxies } = services;
  const elsewhere = refuseOtherAddress(context, publicUrls[environment]);
  if (elsewhere !== undefined) return elsewhere;
  const body = await readConsoleBody(context, services, signInSchema, signInRules);
  if (isFailure(body)) return body;
  const [before, ...others] = readSessionCookies(
    context.request.headers,
    context.baseUrl,
    environment,
  );
  const opening = {
    token: newConsoleToken(),
    replaces: before === undefined ? undefined : digestToken(before),
    address: clientAddress(context.request, context.transport, trustedProxies),
    now: services.now(),
  };
  const { link = '', apiKey } = body;
  const refused =
    apiKey === undefined
      ? await openByLink(database, opening, link)
      : await openByKey(services, opening, apiKey, limit);
  if (refused !== undefined) return refused;
  // A session that another program planted would make two with the new one.
  await closeSessions(services, others);
  const found = await sessions.ofDigest(opening.token.digest);
  // Its workspace or its key may be gone already.
  if (found === undefined) return notSignedIn;
  context.caller = found.caller;
  removePlantedCookies(context, context.baseUrl, environment);
  const seconds = Math.ceil((found.validUntilMax - opening.now) / 1000);
  return jsonAnswer(201, await describeSession(services, found), {
    'set-cookie': cookieFor(context, services, opening.token.text, seconds),
  });
}

/** What every session that is opened has. */
interface Opening {
  readonly token: ConsoleToken;
  /** The digest of the session that the browser had. */
  readonly replaces: string | undefined;
  /** Of the client, for the audit trail. */
  readonly address: string | undefined;
  readonly now: number;
}

/** Whoever has the link has the data: it was printed by a command, or by the server on its terminal. */
async function openByLink(
  database: ConsoleServices['database'],
  { token: { digest }, replaces, address, now }: Opening,
  link: string,
): Promise<Failure | undefined> {
  if (!isConsoleToken(link)) return invalidLink;
  const linkDigest = digestToken(link);
  // Only links that exist reach the queue of writes, where two uses of one link meet.
  if (!(await database.hasConsoleLink(linkDigest, now))) return invalidLink;
  const outcome = await database.write('openOwnerSession', {
    linkDigest,
    digest,
    replaces,
    address,
    now,
    expiresAt: now + sessionMilliseconds,
  });
  return 'refused' in outcome ? invalidLink : undefined;
}

const invalidLink = fail(
  'invalid_api_key',
  'The link is incomplete, was used before, or is older than five minutes',
  { 'www-authenticate': `${realm}, error="invalid_token"` },
);

async function openByKey(
  { database, findApiKey }: ConsoleServices,
  { token: { digest }, replaces, address, now }: Opening,
  apiKey: string,
  limit: SignInLimit,
): Promise<Failure | undefined> {
  const found = await findApiKey(apiKey);
  const id = found?.caller.apiKeyId;
  if (found === undefined || id === undefined) return invalidApiKey;
  const tooMany = limit(id);
  if (tooMany !== undefined) return tooMany;
  const { workspaceId, workspaceName } = found.caller;
  await database.write('openApiKeySession', {
    apiKey: { id, digest: found.digest, workspaceId, workspaceName },
    digest,
    replaces,
    address,
    now,
    expiresAt: Math.min(now + sessionMilliseconds, found.validUntil),
  });
  return undefined;
}

const workspaceSchema = z.object({ workspace: text });

async function chooseWorkspace(
  context: RequestContext,
  services: ConsoleServices,
  { kind, digest }: FoundSession,
): Promise<Answer | Failure> {
  if (kind !== 'owner') return ownersOnly;
  const body = await readSessionBody(context, services, workspaceSchema);
  if (isFailure(body)) return body;
  const { workspace: workspaceName } = body;
  const input = { digest, workspaceName };
  // What no workspace is ever called is not looked for: PostgreSQL takes no text with a NUL.
  const outcome = isWorkspaceName(workspaceName)
    ? await services.database.write('chooseConsoleWorkspace', input)
    : ({ refused: 'no_such_workspace' } as const);
  if ('refused' in outcome) {
    if (outcome.refused === 'no_such_session') return notSignedIn;
    const name = echo(workspaceName, services.hideApiKeys);
    return fail('not_found', `There is no workspace ${name}`);
  }
  const found = await services.sessions.ofDigest(digest);
  return found === undefined
    ? notSignedIn
    : jsonAnswer(200, await describeSession(services, found));
}

/** More than a browser has of one name, by several paths and hosts. */
const closedMax = 50;

/** Closes the sessions of these tokens, and returns the last of them. */
async function closeSessions(
  { sessions, database }: ConsoleServices,
  tokens: readonly string[],
): Promise<FoundSession | undefined> {
  let last: FoundSession | undefined;
  for (const token of tokens.slice(0, closedMax)) {
    const digest = digestToken(token);
    const found = await sessions.ofDigest(digest);
    if (found === undefined) continue;
    last = found;
    await database.write('closeConsoleSession', { digest });
  }
  return last;
}

/** Ends every session whose cookie came with the request. It also succeeds without one. */
async function signOut(context: RequestContext, services: ConsoleServices): Promise<Answer> {
  const { environment } = services;
  const tokens = readSessionCookies(context.request.headers, context.baseUrl, environment);
  context.caller = (await closeSessions(services, tokens))?.caller;
  context.setCookies = formatRemovals(context.baseUrl, environment, context.target.path);
  const headers = { 'set-cookie': cookieFor(context, services, '', 0) };
  return { httpStatus: 204, headers, body: null };
}

function cookieFor(
  { baseUrl }: RequestContext,
  { environment }: ConsoleServices,
  token: string,
  seconds: number,
): string {
  return formatSessionCookie(baseUrl, environment, token, seconds);
}
