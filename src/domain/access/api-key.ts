import type { Command } from '../command.ts';
import type { Page, PageAfterItem, PageRequest } from '../page.ts';
import type { Awaitable } from '../values/awaitable.ts';
import { formatEightDigits, type RandomBytes, randomBase62 } from '../values/base62.ts';
import type { Context } from '../values/context.ts';
import type { Int64 } from '../values/int64.ts';
import { isWellFormed } from '../values/well-formed.ts';
import type { RateLimit } from './rate-limit.ts';

/** Two servers of the same program, with separate data and separate keys. */
export const environments = ['production', 'staging'] as const;
export type Environment = (typeof environments)[number];

/**
 * Each scope is required by an operation. If a scope were added before its operation, existing keys would gain the operation
 * later.
 */
export const scopes = [
  'pets:read',
  'pets:write',
  'orders:read',
  'orders:write',
  'events:read',
  'webhooks:manage',
] as const;
export type Scope = (typeof scopes)[number];

/**
 * The scopes of a new key, unless others are requested. A key with `webhooks:manage` can send events of all kinds to any endpoint,
 * so it is granted only on request.
 */
export const defaultScopes: readonly Scope[] = scopes.filter(
  (scope) => scope !== 'webhooks:manage',
);

/** A stored key. Only a digest of its text is stored. */
export interface ApiKey {
  readonly id: Int64;
  readonly workspaceId: Int64;
  readonly workspaceName: string;
  readonly name: string;
  readonly lastFour: string;
  readonly scopes: readonly Scope[];
  /** Undefined if the limit of the server applies. */
  readonly rateLimit: RateLimit | undefined;
  /** Times are milliseconds since 1970; undefined means never. */
  readonly createdAt: number;
  readonly expiresAt: number | undefined;
  /** For a rotated key, the end of the overlap. */
  readonly revokedAt: number | undefined;
  /** Whether the key is rejected at any time. */
  readonly isRevoked: boolean;
  readonly lastUsedAt: number | undefined;
}

type ApiKeyState = 'active' | 'expired' | 'revoked';

type ApiKeyEnds = Pick<ApiKey, 'expiresAt' | 'revokedAt' | 'isRevoked'>;

export function apiKeyState(apiKey: ApiKeyEnds, now: number): ApiKeyState {
  if (now < apiKeyEnd(apiKey)) return 'active';
  const { isRevoked, revokedAt = Number.POSITIVE_INFINITY } = apiKey;
  return isRevoked || revokedAt <= now ? 'revoked' : 'expired';
}

/**
 * The end of a key, in milliseconds since 1970. An overlap ends by the clock. A revocation does not depend on the clock, which
 * may be set back or differ from that of another machine.
 */
export function apiKeyEnd({ isRevoked, revokedAt, expiresAt }: ApiKeyEnds): number {
  const { POSITIVE_INFINITY: never, NEGATIVE_INFINITY: always } = Number;
  return isRevoked ? always : Math.min(revokedAt ?? never, expiresAt ?? never);
}

export const apiKeyNameLengthMax = 100;
export const apiKeyNameRule = `1 to ${apiKeyNameLengthMax} characters without control characters`;

export function isApiKeyName(text: string): boolean {
  return (
    isWellFormed(text) &&
    text.trim() !== '' &&
    [...text].length <= apiKeyNameLengthMax &&
    !/\p{Cc}/u.test(text)
  );
}

const secretLength = 32;
const checksumLength = 6;
export const apiKeyPrefixes = {
  production: 'anst_live_',
  staging: 'anst_test_',
} as const satisfies Record<Environment, string>;

type Crc32 = (text: string) => number;

/**
 * A new key: the prefix of its environment, 32 random Base62 characters (190 bits), and 6 more with the CRC-32 of all before
 * them, so that scanners for leaked secrets can recognise keys.
 */
export function generateApiKey(
  environment: Environment,
  randomBytes: RandomBytes,
  crc32: Crc32,
): string {
  const text = apiKeyPrefixes[environment] + randomBase62(secretLength, randomBytes);
  return text + checksum(text, crc32);
}

const form = new RegExp(
  `^(?:${Object.values(apiKeyPrefixes).join('|')})[0-9A-Za-z]{${secretLength + checksumLength}}$`,
);

/** Whether a text has the form and checksum of a key of this environment. */
export function isApiKey(text: string, environment: Environment, crc32: Crc32): boolean {
  if (!text.startsWith(apiKeyPrefixes[environment]) || !form.test(text)) return false;
  const body = text.slice(0, -checksumLength);
  return text.endsWith(checksum(body, crc32));
}

function checksum(text: string, crc32: Crc32): string {
  return formatEightDigits(crc32(text)).slice(-checksumLength);
}

export const operatorApiKeyRule =
  '20 to 512 characters of A-Z a-z 0-9 - . _ ~ + / with optional = at the end';

/** The operator chooses this key: a b64token of RFC 6750, longer than a password. */
export function isOperatorApiKey(text: string): boolean {
  return text.length >= 20 && text.length <= 512 && /^[A-Za-z0-9\-._~+/]+=*$/.test(text);
}

/** The operator's own key is not stored. Its use is counted under this id. */
export const operatorApiKeyId: Int64 = 0n;

export interface ApiKeyReads {
  /** Finds a key by the SHA-256 of its text, in hexadecimal, even if it is expired or revoked. */
  findApiKey(context: Context, digest: string): Awaitable<ApiKey | undefined>;
  /** Finds several keys in one query, by digest. Keys that do not exist are missing in the result. */
  findApiKeys(context: Context, digests: readonly string[]): Awaitable<ReadonlyMap<string, ApiKey>>;
  findApiKeyById(context: Context, id: Int64): Awaitable<ApiKey | undefined>;
  /** A page of all keys, newest first, of one workspace or of all. */
  listApiKeys(context: Context, page: PageRequest, workspaceId?: Int64): Awaitable<Page<ApiKey>>;
  /** Whether the data ever had a key, even if that was deleted. */
  hasHadApiKey(context: Context): Awaitable<boolean>;
  /** A page of the calls of deprecated operations by key, latest call first, after a place in the list. */
  listDeprecatedCalls(
    context: Context,
    limit: number,
    after?: DeprecatedCalls,
  ): Awaitable<PageAfterItem<DeprecatedCalls>>;
}

/** The stored data of a new key. `digest` is the SHA-256 of its text, in hexadecimal. */
export interface NewApiKey {
  readonly name: string;
  readonly digest: string;
  readonly lastFour: string;
  readonly scopes: readonly Scope[];
  readonly rateLimit: RateLimit | undefined;
  readonly expiresAt: number | undefined;
}

/** The use of one key since it was last recorded. Times are milliseconds since 1970. */
export interface ApiKeyUse {
  readonly apiKeyId: Int64;
  readonly workspaceId: Int64;
  readonly lastUsedAt: number;
  readonly deprecatedCalls: readonly OperationCalls[];
}

/** How often an operation was called, and the time of the last call in milliseconds since 1970. */
export interface OperationCalls {
  readonly operationId: string;
  readonly count: number;
  readonly lastCalledAt: number;
}

/** All calls of a deprecated operation with one key. */
export interface DeprecatedCalls extends OperationCalls {
  readonly apiKeyId: Int64;
  /** Undefined for the operator's own key, which is not stored. */
  readonly apiKeyName: string | undefined;
  readonly workspaceId: Int64;
  readonly workspaceName: string;
}

/** The session of the console that makes the change, if one does. */
interface InSession {
  readonly sessionId?: string;
}

export interface ApiKeyCommands {
  createApiKey: Command<
    InSession & {
      readonly workspaceName: string;
      readonly apiKey: NewApiKey;
      readonly now: number;
    },
    ApiKey,
    'no_such_workspace'
  >;
  /** Creates a key for workspace `default`, if the data never had a key. */
  createFirstApiKey: Command<
    { readonly apiKey: NewApiKey; readonly now: number },
    ApiKey,
    'not_the_first'
  >;
  /**
   * Creates a key with the name, scopes, rate limit and expiry of an active key, which is revoked after the overlap. Returns both, with
   * the new end.
   */
  rotateApiKey: Command<
    InSession & {
      readonly id: Int64;
      readonly digest: string;
      readonly lastFour: string;
      readonly overlapMilliseconds: number;
      readonly now: number;
    },
    { readonly replaced: ApiKey; readonly replacement: ApiKey },
    'no_such_key' | 'not_active'
  >;
  /** Revoking a revoked key only ends the overlap of a rotated one. */
  revokeApiKey: Command<
    InSession & { readonly id: Int64; readonly now: number },
    ApiKey,
    'no_such_key'
  >;
  /** Adds to the counts, and moves times only forward. */
  saveApiKeyUses: Command<{ readonly uses: readonly ApiKeyUse[] }, null>;
}
