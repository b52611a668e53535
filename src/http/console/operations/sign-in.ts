import { z } from 'zod';
import { operatorApiKeyId } from '../../../domain/access/api-key.ts';
import { sessionMilliseconds } from '../../../domain/access/console-session.ts';
import type { Context } from '../../../domain/values/context.ts';
import type { CommandInput } from '../../../storage/contract/command-writer.ts';
import { invalidApiKey } from '../../access/authenticate.ts';
import { type Failure, fail } from '../../failure.ts';
import { type ConsoleServices, defineConsole } from '../console-operation.ts';
import { notSignedIn, type ValidSession } from '../find-session.ts';
import { operatorMark } from '../operator-mark.ts';
import { digestToken, isConsoleToken, newConsoleToken } from '../token.ts';
import { anyTextSchema, describeSession, sessionSchema, workspaceQuery } from './session.ts';

export const signIn = defineConsole({
  operationId: 'signIn',
  method: 'POST',
  path: '/session',
  summary: 'Exchanges a link or a key for a session, whose cookie the answer sets.',
  access: 'none',
  queryParameters: workspaceQuery,
  requestBody: z
    .object({ link: anyTextSchema.optional(), apiKey: anyTextSchema.optional() })
    .meta({ id: 'SignIn', description: 'Either a link or a key.' }),
  bodyFaults: (body) =>
    'link' in body === 'apiKey' in body ? ['The body must have either link or apiKey'] : [],
  // Callers without a key or session can send these bodies. The largest valid one has less than 600 bytes.
  bodyLimits: { bytesMax: 1024 },
  success: { httpStatus: 201, schema: sessionSchema },
  errors: ['forbidden_origin', 'invalid_api_key', 'rate_limited'],
  async handle(context, { query, body, tokens: [before, ...others], address, now }, services) {
    const { link = '', apiKey } = body;
    const token = newConsoleToken();
    const replaces = before === undefined ? undefined : digestToken(before);
    const opening = { digest: token.digest, replaces, address, now };
    const refused =
      apiKey === undefined
        ? await openByLink(context, services, opening, link)
        : await openByKey(context, services, opening, apiKey);
    if (refused !== undefined) return refused;
    // With a session that another program planted, there would be two, and two open nothing.
    await closeSessions(context, services, others);
    const found = await services.sessions.ofDigest(context, token.digest);
    // Its workspace or its key may be gone already.
    if (found === undefined) return notSignedIn;
    const seconds = Math.ceil((found.validUntilMax - now) / 1000);
    return {
      value: await describeSession(context, services, found, now, query.workspace),
      caller: found.caller,
      cookie: { token: token.text, seconds },
    };
  },
});

type Opening = Omit<CommandInput<'openOwnerSession'>, 'linkDigest' | 'expiresAt'>;

/** A command, or the server on its terminal, printed the link. Both have access to the data. */
async function openByLink(
  context: Context,
  { database }: ConsoleServices,
  opening: Opening,
  link: string,
): Promise<Failure | undefined> {
  if (!isConsoleToken(link)) return invalidLink;
  const linkDigest = digestToken(link);
  // An unknown link takes no place in the queue of writes.
  if (!(await database.hasConsoleLink(context, linkDigest, opening.now))) return invalidLink;
  const expiresAt = opening.now + sessionMilliseconds;
  const outcome = await database.write(context, 'openOwnerSession', {
    ...opening,
    linkDigest,
    expiresAt,
  });
  return 'refused' in outcome ? invalidLink : undefined;
}

const invalidLink = fail(
  'invalid_api_key',
  'The link is incomplete, was used before, or is older than five minutes',
);

async function openByKey(
  context: Context,
  { database, findApiKey, limitSignIns }: ConsoleServices,
  opening: Opening,
  text: string,
): Promise<Failure | undefined> {
  const found = await findApiKey(context, text);
  const id = found?.caller.apiKeyId;
  if (found === undefined || id === undefined) return invalidApiKey;
  const tooMany = limitSignIns(id);
  if (tooMany !== undefined) return tooMany;
  const { workspaceId, workspaceName } = found.caller;
  const digest = id === operatorApiKeyId ? await operatorMark(found.digest) : found.digest;
  const apiKey = { id, digest, workspaceId, workspaceName };
  const expiresAt = Math.min(opening.now + sessionMilliseconds, found.validUntil);
  await database.write(context, 'openApiKeySession', { ...opening, apiKey, expiresAt });
  return undefined;
}

export const signOut = defineConsole({
  operationId: 'signOut',
  method: 'DELETE',
  path: '/session',
  summary: 'Ends every session whose cookie the request has. Succeeds without a session.',
  access: 'none',
  success: { httpStatus: 204 },
  handle: async (context, { tokens }, services) => ({
    caller: (await closeSessions(context, services, tokens))?.caller,
    cookie: { token: '', seconds: 0 },
  }),
});

/** More than a browser has of one name, by several paths and hosts. */
const closedMax = 50;

/** Closes the sessions of these tokens, and returns the last of them. */
async function closeSessions(
  context: Context,
  { sessions, database }: ConsoleServices,
  tokens: readonly string[],
): Promise<ValidSession | undefined> {
  let last: ValidSession | undefined;
  for (const token of tokens.slice(0, closedMax)) {
    const digest = digestToken(token);
    const found = await sessions.ofDigest(context, digest);
    if (found === undefined) continue;
    last = found;
    await database.write(context, 'closeConsoleSession', { digest });
  }
  return last;
}
