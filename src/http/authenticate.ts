import { timingSafeEqual } from 'node:crypto';
import {
  type ApiKey,
  apiKeyState,
  type Environment,
  isApiKey,
  type Scope,
  scopes,
} from '../domain/api-key.ts';
import type { Awaitable, Database } from '../domain/database.ts';
import { operatorApiKeyId } from '../domain/database.ts';
import { type Failure, fail } from '../domain/error.ts';
import type { Int64 } from '../domain/int64.ts';

/** Who is asking: what a key stands for. */
export interface Caller {
  readonly apiKeyId: Int64;
  readonly workspaceId: Int64;
  readonly scopes: readonly Scope[];
}

export interface Authentication {
  readonly database: Database;
  readonly environment: Environment;
  readonly now: () => number;
  /** The key that the operator gave in the environment, and the workspace it opens. */
  readonly operatorKey: { readonly digest: string; readonly workspaceId: Int64 } | undefined;
}

export const realm = 'Bearer realm="animal-store"';

const missingApiKey = fail('missing_api_key', 'Send an API key as Authorization: Bearer API_KEY', {
  'www-authenticate': realm,
});

/** One answer, byte for byte, for every key that does not open: none tells another's secret. */
export const invalidApiKey = fail('invalid_api_key', 'The API key is not valid', {
  'www-authenticate': `${realm}, error="invalid_token"`,
});

const bearer = /^bearer(?: +(.*))?$/i;
const tokenForm = /^[A-Za-z0-9\-._~+/]{1,512}=*$/;

/** SHA-256 in hexadecimal: what is stored and compared in place of a key. */
export function digestApiKey(text: string): string {
  return Bun.SHA256.hash(text, 'hex');
}

/** Finds out whose request it is from its `Authorization` header alone. */
export function authenticate(
  { database, environment, now, operatorKey }: Authentication,
  header: string | null,
): Awaitable<Caller | Failure> {
  const match = bearer.exec(header ?? '');
  const token = match?.[1] ?? '';
  if (token === '') return missingApiKey;
  // Two Authorization headers arrive joined by a comma, which no token contains.
  if (!tokenForm.test(token)) return invalidApiKey;

  const digest = digestApiKey(token);
  if (operatorKey !== undefined && equalDigests(digest, operatorKey.digest)) {
    return { apiKeyId: operatorApiKeyId, workspaceId: operatorKey.workspaceId, scopes };
  }
  if (!isApiKey(token, environment, Bun.hash.crc32)) return invalidApiKey;

  // The look-up is by digest: how long it takes tells nothing about how near a guess came.
  const found = database.findApiKey(digest);
  return found instanceof Promise
    ? found.then((apiKey) => toCaller(apiKey, now()))
    : toCaller(found, now());
}

function toCaller(apiKey: ApiKey | undefined, now: number): Caller | Failure {
  if (apiKey === undefined || apiKeyState(apiKey, now) !== 'active') return invalidApiKey;
  return { apiKeyId: apiKey.id, workspaceId: apiKey.workspaceId, scopes: apiKey.scopes };
}

function equalDigests(left: string, right: string): boolean {
  return timingSafeEqual(Buffer.from(left), Buffer.from(right));
}
