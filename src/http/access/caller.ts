import type { Scope } from '../../domain/access/api-key.ts';
import type { RateLimit } from '../../domain/access/rate-limit.ts';
import type { Awaitable } from '../../domain/values/awaitable.ts';
import type { Int64 } from '../../domain/values/int64.ts';
import type { Failure } from '../answer/answer.ts';

/** Who is asking: what a key, or a session of the console, stands for. */
export interface Caller {
  /** Undefined for an owner of the data, who signed in to the console without a key. */
  readonly apiKeyId: Int64 | undefined;
  /** Undefined where the request came with a key, and not with a session. */
  readonly sessionId: string | undefined;
  /** Whose requests and streams are counted together: those of a key, also from its sessions, or of an owner's session. */
  readonly bucket: Int64 | string;
  readonly workspaceId: Int64;
  /** The same; to make text of a bigint takes long. */
  readonly workspaceIdText: string;
  readonly workspaceName: string;
  readonly scopes: readonly Scope[];
  readonly rateLimit: RateLimit | undefined;
}

/** Finds out whose request it is, from its headers alone. */
export type Authenticate = (request: Request) => Awaitable<Caller | Failure>;
