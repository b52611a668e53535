import type { Command } from '../database/command.ts';
import type { Page, PageRequest } from '../page.ts';
import type { Awaitable } from '../values/awaitable.ts';
import { base62Alphabet, type RandomBytes, randomBase62 } from '../values/base62.ts';
import type { Int64 } from '../values/int64.ts';
import type { RateLimit } from './rate-limit.ts';

/** The two environments are two runs of the same program, with separate data and separate keys. */
export const environments = ['production', 'staging'] as const;
export type Environment = (typeof environments)[number];

/** Each is needed by an operation: a scope that means nothing yet would get a meaning in keys that were given out before. */
export const scopes = [
  'pets:read',
  'pets:write',
  'orders:read',
  'orders:write',
  'events:read',
] as const;
export type Scope = (typeof scopes)[number];

/** The scopes of a new key, unless others are requested. */
export const defaultScopes: readonly Scope[] = scopes;

/** A key as it is stored: everything about it but the key itself, of which only a digest is kept. */
export interface ApiKey {
  readonly id: Int64;
  readonly workspaceId: Int64;
  readonly workspaceName: string;
  readonly name: string;
  readonly lastFour: string;
  readonly scopes: readonly Scope[];
  /** Undefined where the limit of the server holds. */
  readonly rateLimit: RateLimit | undefined;
  /** Times are milliseconds since 1970; undefined means never. */
  readonly createdAt: number;
  readonly expiresAt: number | undefined;
  /** Of a key that was rotated, the end of its overlap. */
  readonly revokedAt: number | undefined;
  /** Whether it is refused whatever the clock says. */
  readonly isRevoked: boolean;
  readonly lastUsedAt: number | undefined;
}

export type ApiKeyState = 'active' | 'expired' | 'revoked';

type ApiKeyEnds = Pick<ApiKey, 'expiresAt' | 'revokedAt' | 'isRevoked'>;

export function apiKeyState(apiKey: ApiKeyEnds, now: number): ApiKeyState {
  if (now < apiKeyEnd(apiKey)) return 'active';
  const { isRevoked, revokedAt = Number.POSITIVE_INFINITY } = apiKey;
  return isRevoked || revokedAt <= now ? 'revoked' : 'expired';
}

/**
 * When a key stops to be active, in milliseconds since 1970. The end of an overlap goes by the clock. What was revoked
 * outright does not: the clock may have been set back since, or be behind that of the machine where it was done.
 */
export function apiKeyEnd({ isRevoked, revokedAt, expiresAt }: ApiKeyEnds): number {
  const { POSITIVE_INFINITY: never, NEGATIVE_INFINITY: always } = Number;
  return isRevoked ? always : Math.min(revokedAt ?? never, expiresAt ?? never);
}

export const apiKeyNameLengthMax = 100;
export const apiKeyNameRule = `must be 1 to ${apiKeyNameLengthMax} characters without control characters`;

export function isApiKeyName(text: string): boolean {
  return (
    text.isWellFormed() &&
    text.trim() !== '' &&
    [...text].length <= apiKeyNameLengthMax &&
    !/\p{Cc}/u.test(text)
  );
}

const secretLength = 32;
const checksumLength = 6;
const prefixes = {
  production: 'anst_live_',
  staging: 'anst_test_',
} as const satisfies Record<Environment, string>;

export type Crc32 = (text: string) => number;

/**
 * A new key: the prefix of its environment, 32 random Base62 characters (190 bits), and the CRC-32 of
 * all before it as 6 more, so that scanners for leaked secrets can tell a key from a look-alike.
 */
export function generateApiKey(
  environment: Environment,
  randomBytes: RandomBytes,
  crc32: Crc32,
): string {
  const text = prefixes[environment] + randomBase62(secretLength, randomBytes);
  return text + checksum(text, crc32);
}

const form = /^anst_(?:live|test)_[0-9A-Za-z]{38}$/;

/** Whether a text is a key of this environment by its form and checksum alone. */
export function isApiKey(text: string, environment: Environment, crc32: Crc32): boolean {
  if (!text.startsWith(prefixes[environment]) || !form.test(text)) return false;
  const body = text.slice(0, -checksumLength);
  return text.endsWith(checksum(body, crc32));
}

function checksum(text: string, crc32: Crc32): string {
  let rest = crc32(text);
  let digits = '';
  for (let index = 0; index < checksumLength; index += 1) {
    digits = base62Alphabet[rest % 62] + digits;
    rest = Math.floor(rest / 62);
  }
  return digits;
}

export const operatorApiKeyRule =
  '20 to 512 characters of A-Z a-z 0-9 - . _ ~ + / with optional = at the end';

/** A key of the operator's own choosing: RFC 6750's b64token, of a length that is no mere password. */
export function isOperatorApiKey(text: string): boolean {
  return text.length >= 20 && text.length <= 512 && /^[A-Za-z0-9\-._~+/]+=*$/.test(text);
}

/** The key that the operator gives in the environment is stored nowhere; its use is counted under this id. */
export const operatorApiKeyId: Int64 = 0n;

export interface ApiKeyReads {
  /** Looks a key up by the SHA-256 of its text, in hexadecimal; expired and revoked ones are found too. */
  findApiKey(digest: string): Awaitable<ApiKey | undefined>;
  /** The same for several keys in one query, by digest. Keys that do not exist are missing in the result. */
  findApiKeys(digests: readonly string[]): Awaitable<ReadonlyMap<string, ApiKey>>;
  /** Looks a key up by its id. */
  findApiKeyById(id: Int64): Awaitable<ApiKey | undefined>;
  /** A page of the keys ever made, newest first, of one workspace or of all. */
  listApiKeys(page: PageRequest, workspaceId?: Int64): Awaitable<Page<ApiKey>>;
  /** Whether a key was ever made here, also where it is gone since. */
  hasHadApiKey(): Awaitable<boolean>;
  /** Who called what is going away, the latest call first. */
  listDeprecatedCalls(): Awaitable<readonly DeprecatedCalls[]>;
}

/** What is stored of a new key. `digest` is the SHA-256 of its text, in hexadecimal. */
export interface NewApiKey {
  readonly name: string;
  readonly digest: string;
  readonly lastFour: string;
  readonly scopes: readonly Scope[];
  readonly rateLimit: RateLimit | undefined;
  readonly expiresAt: number | undefined;
}

/** A key that was rotated, with its end as it is now, and the one in its place. */
export interface RotatedApiKey {
  readonly replaced: ApiKey;
  readonly replacement: ApiKey;
}

/** How one key was used since the last record of it. Times are milliseconds since 1970. */
export interface ApiKeyUse {
  readonly apiKeyId: Int64;
  readonly workspaceId: Int64;
  readonly lastUsedAt: number;
  readonly deprecatedCalls: readonly OperationCalls[];
}

/** How often an operation was called, and when last, in milliseconds since 1970. */
export interface OperationCalls {
  readonly operationId: string;
  readonly count: number;
  readonly lastCalledAt: number;
}

/** One key's calls of an operation that is going away, since there is data. */
export interface DeprecatedCalls extends OperationCalls {
  readonly apiKeyId: Int64;
  /** Undefined for the key that the operator gives in the environment, which is not stored. */
  readonly apiKeyName: string | undefined;
  readonly workspaceName: string;
}

/** Which session of the console does it; left out where none does. */
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
  /** Makes a key for workspace `default` where there never was any key. */
  createFirstApiKey: Command<
    { readonly apiKey: NewApiKey; readonly now: number },
    ApiKey,
    'not_the_first'
  >;
  /** A new key with the name, scopes, rate limit and expiry of an active one, which is revoked after the overlap. */
  rotateApiKey: Command<
    InSession & {
      readonly id: Int64;
      readonly digest: string;
      readonly lastFour: string;
      readonly overlapMilliseconds: number;
      readonly now: number;
    },
    RotatedApiKey,
    'no_such_key' | 'not_active'
  >;
  /** Revoking a revoked key changes nothing, but ends the overlap of a rotated one. */
  revokeApiKey: Command<
    InSession & { readonly id: Int64; readonly now: number },
    ApiKey,
    'no_such_key'
  >;
  /** Adds to the counts and moves the times forward, never back. */
  recordApiKeyUses: Command<{ readonly uses: readonly ApiKeyUse[] }, null>;
}
