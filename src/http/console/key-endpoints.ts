import { z } from 'zod';
import {
  type ApiKey,
  scopes as allScopes,
  apiKeyEnd,
  apiKeyNameRule,
  apiKeyState,
  defaultScopes,
  isApiKeyName,
} from '../../domain/access/api-key.ts';
import { echo } from '../../domain/echo.ts';
import { parseInt64 } from '../../domain/values/int64.ts';
import { newApiKey } from '../access/new-api-key.ts';
import { type Answer, type Failure, fail, isFailure } from '../answer/answer.ts';
import { consolePath } from '../public-urls.ts';
import type { RequestContext, Responder } from '../request-context.ts';
import type { Endpoint } from '../router.ts';
import { type FoundSession, notSignedIn } from './find-session.ts';
import {
  type ConsoleServices,
  forSession,
  jsonAnswer,
  ownersOnly,
  readSessionBody,
  type SessionResponder,
  timeOrNull,
} from './services.ts';

/** `/console/v1/keys`: the keys of the workspace that an owner looks at. */
export function keyEndpoints(services: ConsoleServices): Endpoint<Responder>[] {
  const path = `${consolePath}/v1/keys`;
  const forOwner = (
    respond: (
      context: RequestContext,
      services: ConsoleServices,
      found: FoundSession,
    ) => Promise<Answer | Failure>,
  ): Responder => {
    const respondToOwner: SessionResponder = (context, found) =>
      found.kind === 'owner' ? respond(context, services, found) : ownersOnly;
    return forSession(services, respondToOwner);
  };
  return [
    { method: 'GET', path, value: forOwner(listKeys) },
    { method: 'POST', path, value: forOwner(createKey) },
    { method: 'POST', path: `${path}/{keyId}/rotation`, value: forOwner(rotateKey) },
    { method: 'DELETE', path: `${path}/{keyId}`, value: forOwner(revokeKey) },
  ];
}

function describeKey(apiKey: ApiKey, now: number) {
  const { id, name, lastFour, scopes, createdAt, expiresAt, revokedAt, lastUsedAt } = apiKey;
  const end = apiKeyEnd(apiKey);
  return {
    id: Number(id),
    name,
    lastFour,
    scopes,
    state: apiKeyState(apiKey, now),
    activeUntil: timeOrNull(end > now && Number.isFinite(end) ? end : undefined),
    createdAt: timeOrNull(createdAt),
    expiresAt: timeOrNull(expiresAt),
    revokedAt: timeOrNull(revokedAt),
    lastUsedAt: timeOrNull(lastUsedAt),
  };
}

const keysPerPage = 100;

/** A page, newest first. `nextBefore` is the parameter `before` of the next page, or null. */
async function listKeys(
  { target }: RequestContext,
  { database, now, hideApiKeys }: ConsoleServices,
  { caller }: FoundSession,
): Promise<Answer | Failure> {
  const before = new URLSearchParams(target.search).get('before');
  const belowId = before === null ? undefined : parseInt64(before);
  if (before !== null && belowId === undefined) {
    const sent = echo(before, hideApiKeys);
    return fail('invalid_parameter', `before must be the id of a key, got ${sent}`);
  }
  const page = { limit: keysPerPage, belowId };
  const { items, nextBelowId } = await database.listApiKeys(page, caller.workspaceId);
  return jsonAnswer(200, {
    keys: items.map((apiKey) => describeKey(apiKey, now())),
    nextBefore: nextBelowId === undefined ? null : Number(nextBelowId),
  });
}

const dayMilliseconds = 24 * 3_600_000;

/** A whole number, which the reader of JSON gives as a bigint. */
function wholeNumber(min: number, max: number) {
  const rule = `must be a whole number from ${min} to ${max}`;
  return z
    .bigint({ error: () => rule })
    .refine((value) => value >= min && value <= max, { error: () => rule });
}

const scopesRule = `must be a list of ${allScopes.join(', ')}`;

const newKeySchema = z.object({
  name: z
    .string({ error: () => apiKeyNameRule })
    .refine(isApiKeyName, { error: () => apiKeyNameRule }),
  scopes: z
    .array(z.enum(allScopes, { error: () => scopesRule }), { error: () => scopesRule })
    .min(1, { error: () => scopesRule })
    .optional(),
  expiresInDays: wholeNumber(1, 3650).optional(),
});

async function createKey(
  context: RequestContext,
  services: ConsoleServices,
  { caller: { workspaceName, sessionId } }: FoundSession,
): Promise<Answer | Failure> {
  const body = await readSessionBody(context, services, newKeySchema);
  if (isFailure(body)) return body;
  const { name, scopes: asked = defaultScopes, expiresInDays } = body;
  const { text, digest, lastFour } = newApiKey(services.environment);
  const now = services.now();
  const apiKey = {
    name,
    digest,
    lastFour,
    scopes: allScopes.filter((scope) => asked.some((one) => one === scope)),
    rateLimit: undefined,
    expiresAt:
      expiresInDays === undefined ? undefined : now + Number(expiresInDays) * dayMilliseconds,
  };
  const input = { workspaceName, apiKey, now, sessionId };
  const outcome = await services.database.write('createApiKey', input);
  // Its workspace was deleted just now, and the session with it.
  if ('refused' in outcome) return notSignedIn;
  return jsonAnswer(201, { ...describeKey(outcome.ok, now), key: text });
}

const overlapSecondsMax = 30 * 24 * 3600;
const overlapSecondsDefault = 24 * 3600;

const rotationSchema = z.object({ overlapSeconds: wholeNumber(0, overlapSecondsMax).optional() });

async function rotateKey(
  context: RequestContext,
  services: ConsoleServices,
  { caller }: FoundSession,
): Promise<Answer | Failure> {
  const body = await readSessionBody(context, services, rotationSchema);
  if (isFailure(body)) return body;
  const found = await findKey(context, services, caller.workspaceName);
  if (isFailure(found)) return found;
  const { id } = found;
  const seconds = Number(body.overlapSeconds ?? overlapSecondsDefault);
  const { text, digest, lastFour } = newApiKey(services.environment);
  const now = services.now();
  const outcome = await services.database.write('rotateApiKey', {
    id,
    digest,
    lastFour,
    overlapMilliseconds: seconds * 1000,
    now,
    sessionId: caller.sessionId,
  });
  if ('ok' in outcome) {
    return jsonAnswer(201, { ...describeKey(outcome.ok.replacement, now), key: text });
  }
  return outcome.refused === 'not_active'
    ? fail('conflict', `Key ${id} is expired or revoked; create a new key instead`)
    : noSuchKey(String(id), services);
}

async function revokeKey(
  context: RequestContext,
  services: ConsoleServices,
  { caller: { workspaceName, sessionId } }: FoundSession,
): Promise<Answer | Failure> {
  const found = await findKey(context, services, workspaceName);
  if (isFailure(found)) return found;
  const input = { id: found.id, now: services.now(), sessionId };
  const outcome = await services.database.write('revokeApiKey', input);
  if ('refused' in outcome) return noSuchKey(String(found.id), services);
  return { httpStatus: 204, headers: {}, body: null };
}

/** A key of another workspace does not exist here. None ever moves to another, nor is an id used again. */
async function findKey(
  { pathParameters: { keyId = '' } }: RequestContext,
  services: ConsoleServices,
  workspaceName: string,
): Promise<ApiKey | Failure> {
  const id = parseInt64(keyId);
  const apiKey = id === undefined ? undefined : await services.database.findApiKeyById(id);
  return apiKey?.workspaceName === workspaceName ? apiKey : noSuchKey(keyId, services);
}

function noSuchKey(keyId: string, { hideApiKeys }: ConsoleServices): Failure {
  return fail('not_found', `There is no key ${echo(keyId, hideApiKeys)}`);
}
