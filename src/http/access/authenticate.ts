import {
  type ApiKey,
  type ApiKeyReads,
  apiKeyEnd,
  type Environment,
  isApiKey,
  operatorApiKeyId,
  type Scope,
  scopes,
} from '../../domain/access/api-key.ts';
import type { Workspace } from '../../domain/access/workspace.ts';
import { type Awaitable, andThen } from '../../domain/values/awaitable.ts';
import type { Context } from '../../domain/values/context.ts';
import type { DataVersion } from '../../storage/contract/database.ts';
import { type Failure, fail, realm } from '../failure.ts';
import type { RequestContext } from '../request-context.ts';
import type { Caller } from './caller.ts';
import { createSecretCache } from './secret-cache.ts';

export interface Authentication {
  readonly database: DataVersion & Pick<ApiKeyReads, 'findApiKey' | 'findApiKeys'>;
  readonly environment: Environment;
  readonly now: () => number;
  /** The key that the operator set in the environment, and its workspace. */
  readonly operatorApiKey: { readonly digest: string; readonly workspace: Workspace } | undefined;
}

const missingApiKey = fail('missing_api_key', 'Send an API key as Authorization: Bearer API_KEY');

/** The same response for every invalid key, so that it reveals nothing about other keys. */
export const invalidApiKey = fail('invalid_api_key', 'The API key is not valid');

/** The failure of a request whose workspace was deleted, with its keys, during the request. */
export const workspaceGone = invalidApiKey;

export function insufficientScope(message: string, scope: Scope): Failure {
  return fail('insufficient_scope', message, {
    'www-authenticate': `${realm}, error="insufficient_scope", scope="${scope}"`,
  });
}

const bearer = /^bearer(?: +(.*))?$/i;
const tokenForm = /^[A-Za-z0-9\-._~+/]{1,512}=*$/;

/** SHA-256 in hexadecimal, which is stored and compared in place of a key. */
export function digestApiKey(text: string): string {
  return Bun.SHA256.hash(text, 'hex');
}

/** A valid key. */
interface ValidApiKey {
  readonly caller: Caller;
  readonly digest: string;
  /** Milliseconds since 1970. */
  readonly validUntil: number;
}

/** Finds the key with this text. Undefined if it is not valid. */
export type FindApiKey = (context: Context, text: string) => Awaitable<ValidApiKey | undefined>;

export function createFindApiKey(options: Authentication): FindApiKey {
  const { database, environment, now } = options;
  const operator = toOperatorKey(options);
  const find = createSecretCache<ValidApiKey>(database, now, {
    canExist: (text) => isApiKey(text, environment, Bun.hash.crc32),
    findOne: (context, digest) =>
      andThen(
        database.findApiKey(context, digest),
        (apiKey) => apiKey && toValidApiKey(apiKey, digest),
      ),
    findMany: (context, digests) =>
      andThen(
        database.findApiKeys(context, digests),
        (apiKeys) =>
          new Map([...apiKeys].map(([digest, apiKey]) => [digest, toValidApiKey(apiKey, digest)])),
      ),
  });
  return (context, text) => {
    // Two Authorization headers arrive joined by a comma, which no key contains.
    if (!tokenForm.test(text)) return undefined;
    // Only digests are compared, so that the time of a lookup reveals nothing about a key.
    const digest = digestApiKey(text);
    return digest === operator?.digest ? operator : find(context, digest, text);
  };
}

/** Finds the caller of a request from its headers. */
export type Authenticate = (context: RequestContext) => Awaitable<Caller | Failure>;

const callerOrFailure = (found: ValidApiKey | undefined) => found?.caller ?? invalidApiKey;

/** Authenticates by the `Authorization` header only. */
export function createAuthenticate(findApiKey: FindApiKey) {
  return ({
    request,
    call,
  }: Pick<RequestContext, 'request' | 'call'>): Awaitable<Caller | Failure> => {
    const text = bearer.exec(request.headers.get('authorization') ?? '')?.[1];
    if (!text) return missingApiKey;
    return andThen(findApiKey(call, text), callerOrFailure);
  };
}

/** The operator's own key, which is valid as long as the server runs with it. */
export function toOperatorKey({ operatorApiKey }: Authentication): ValidApiKey | undefined {
  if (operatorApiKey === undefined) return undefined;
  const { digest, workspace } = operatorApiKey;
  const ofWorkspace = { workspaceId: workspace.id, workspaceName: workspace.name };
  const caller = callerOf({ id: operatorApiKeyId, ...ofWorkspace, scopes, rateLimit: undefined });
  return { caller, digest, validUntil: Number.POSITIVE_INFINITY };
}

function toValidApiKey(apiKey: ApiKey, digest: string): ValidApiKey {
  return { caller: callerOf(apiKey), digest, validUntil: apiKeyEnd(apiKey) };
}

type CallerSource = Pick<Caller, 'workspaceId' | 'workspaceName' | 'scopes' | 'rateLimit'> & {
  readonly id: Caller['apiKeyId'];
};

/** The caller that has this key. With a session of an owner, the caller has no key. */
export function callerOf(
  { id: apiKeyId, workspaceId, workspaceName, scopes, rateLimit }: CallerSource,
  sessionId?: string,
): Caller {
  return {
    apiKeyId,
    sessionId,
    actor: apiKeyId === undefined ? 'owner' : `key:${apiKeyId}`,
    rateLimitKey: apiKeyId ?? sessionId ?? '',
    workspaceId,
    workspaceIdText: String(workspaceId),
    workspaceName,
    scopes,
    rateLimit,
  };
}
