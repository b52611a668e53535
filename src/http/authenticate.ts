import {
  type ApiKey,
  type ApiKeyReads,
  apiKeyEnd,
  type Environment,
  isApiKey,
  operatorApiKeyId,
  type Scope,
  scopes,
} from '../domain/api-key.ts';
import { type Awaitable, andThen } from '../domain/awaitable.ts';
import type { DataVersion } from '../domain/database.ts';
import { type Failure, fail } from '../domain/error.ts';
import type { Int64 } from '../domain/int64.ts';
import type { RateLimit } from '../domain/rate-limit.ts';
import type { Workspace } from '../domain/workspace.ts';

/** Who is asking: what a key stands for. */
export interface Caller {
  readonly apiKeyId: Int64;
  readonly workspaceId: Int64;
  /** The same; to make text of a bigint takes long. */
  readonly workspaceIdText: string;
  readonly workspaceName: string;
  readonly scopes: readonly Scope[];
  readonly rateLimit: RateLimit | undefined;
}

export interface Authentication {
  readonly database: DataVersion & Pick<ApiKeyReads, 'findApiKey'>;
  readonly environment: Environment;
  readonly now: () => number;
  /** The key that the operator gave in the environment, and the workspace it opens. */
  readonly operatorApiKey: { readonly digest: string; readonly workspace: Workspace } | undefined;
}

export const realm = 'Bearer realm="animal-store"';

const missingApiKey = fail('missing_api_key', 'Send an API key as Authorization: Bearer API_KEY', {
  'www-authenticate': realm,
});

/** One answer, byte for byte, for every key that does not open: none tells another's secret. */
export const invalidApiKey = fail('invalid_api_key', 'The API key is not valid', {
  'www-authenticate': `${realm}, error="invalid_token"`,
});

/** What a write is answered whose workspace was deleted while it was on its way, and its keys with it. */
export const workspaceGone = invalidApiKey;

const bearer = /^bearer(?: +(.*))?$/i;
const tokenForm = /^[A-Za-z0-9\-._~+/]{1,512}=*$/;

/** SHA-256 in hexadecimal: what is stored and compared in place of a key. */
export function digestApiKey(text: string): string {
  return Bun.SHA256.hash(text, 'hex');
}

/** Keys that were looked up lately; beyond this the oldest is looked up again. */
const rememberedKeysMax = 10_000;

interface Remembered {
  readonly caller: Caller;
  /** Milliseconds since 1970. */
  readonly validUntil: number;
  readonly dataVersion: number;
}

/** Finds out whose request it is, from its `Authorization` header alone. */
export type Authenticate = (header: string | null) => Awaitable<Caller | Failure>;

/**
 * A key that was found is remembered while nothing is committed, by this process or another: so a revoked
 * key is refused by the next request (or within the engine's bound of staleness), and a busy one costs no look-up.
 */
export function createAuthenticate(options: Authentication): Authenticate {
  const { database, environment, now, operatorApiKey } = options;
  const rememberedKeys = new Map<string, Remembered>();
  const operator: Caller | undefined = operatorApiKey && {
    apiKeyId: operatorApiKeyId,
    workspaceId: operatorApiKey.workspace.id,
    workspaceIdText: String(operatorApiKey.workspace.id),
    workspaceName: operatorApiKey.workspace.name,
    scopes,
    rateLimit: undefined,
  };

  function remember(digest: string, apiKey: ApiKey | undefined, dataVersion: number) {
    rememberedKeys.delete(digest);
    if (apiKey === undefined) return invalidApiKey;
    const validUntil = apiKeyEnd(apiKey);
    const [oldest] = rememberedKeys.keys();
    if (rememberedKeys.size >= rememberedKeysMax && oldest !== undefined) {
      rememberedKeys.delete(oldest);
    }
    const caller = toCaller(apiKey);
    rememberedKeys.set(digest, { caller, validUntil, dataVersion });
    return now() < validUntil ? caller : invalidApiKey;
  }

  return (header) => {
    const match = bearer.exec(header ?? '');
    const token = match?.[1] ?? '';
    if (token === '') return missingApiKey;
    // Two Authorization headers arrive joined by a comma, which no token contains.
    if (!tokenForm.test(token)) return invalidApiKey;

    // All that follows goes by the digest: how long it takes tells nothing about how near a guess came.
    const digest = digestApiKey(token);
    if (operator !== undefined && digest === operatorApiKey?.digest) return operator;
    const dataVersion = database.dataVersion();
    const remembered = rememberedKeys.get(digest);
    if (remembered?.dataVersion === dataVersion) {
      return now() < remembered.validUntil ? remembered.caller : invalidApiKey;
    }
    if (!isApiKey(token, environment, Bun.hash.crc32)) return invalidApiKey;
    return andThen(database.findApiKey(digest), (found) => remember(digest, found, dataVersion));
  };
}

function toCaller(apiKey: ApiKey): Caller {
  const { id: apiKeyId, workspaceId, workspaceName, scopes, rateLimit } = apiKey;
  const workspaceIdText = String(workspaceId);
  return { apiKeyId, workspaceId, workspaceIdText, workspaceName, scopes, rateLimit };
}
