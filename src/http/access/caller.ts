import type { Scope } from '../../domain/access/api-key.ts';
import type { RateLimit } from '../../domain/access/rate-limit.ts';
import type { Actor } from '../../domain/record.ts';
import type { Int64 } from '../../domain/values/int64.ts';

/** The caller of a request: an API key, or a session of the console. */
export interface Caller {
  /** Undefined for an owner of the data. Owners sign in to the console without a key. */
  readonly apiKeyId: Int64 | undefined;
  /** Undefined if the request came with a key. */
  readonly sessionId: string | undefined;
  /** The caller in the events of its changes. */
  readonly actor: Actor;
  /** Requests and streams with the same value share one limit: those of a key and its sessions, or of an owner's session. */
  readonly rateLimitKey: Int64 | string;
  readonly workspaceId: Int64;
  /** The id as text, because formatting a bigint is slow. */
  readonly workspaceIdText: string;
  readonly workspaceName: string;
  readonly scopes: readonly Scope[];
  readonly rateLimit: RateLimit | undefined;
}
