import type { RateLimit } from '../domain/access/rate-limit.ts';
import type { CommandWriter } from '../domain/database/commands.ts';
import type { Reads } from '../domain/database/registry.ts';
import type { HideApiKeys } from '../domain/echo.ts';
import type { Awaitable } from '../domain/values/awaitable.ts';
import type { ApiKeyUses } from './access/api-key-uses.ts';
import type { Authenticate, Caller } from './access/caller.ts';
import type { RateLimiter } from './access/rate-limit.ts';
import type { Answer, Failure } from './answer/answer.ts';
import type { ResponseCache } from './answer/response-cache.ts';
import type { ConsoleOperation } from './console/console-operation.ts';
import type { ConsoleServices } from './console/console-services.ts';
import type { Feed } from './feed/feed.ts';
import type { Operation } from './operation.ts';
import type { WriteOnce } from './request/idempotency.ts';
import type { RequestTarget, Transport } from './request/request-head.ts';

/** A request on its way, and what becomes known of it. */
export interface RequestContext {
  readonly request: Request;
  readonly requestId: string;
  readonly target: RequestTarget;
  readonly transport: Transport;
  /** Text at the place of each `{name}` of the path, as sent. */
  pathParameters: Readonly<Record<string, string>>;
  /** Public address of the service for links, ending in `/v1`; below the console, that of its operations. */
  baseUrl: string;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** What this answer alone carries, whatever it turns out to be. */
  readonly headers: Record<string, string>;
  /** Values of `Set-Cookie` besides that of the answer. */
  setCookies: readonly string[];
  /** Nobody, until authentication has spoken. */
  caller: Caller | undefined;
}

/** Answers with a page, a document or an operation. */
export type Responder = (context: RequestContext) => Awaitable<Answer | Failure>;

/** A request whose caller is known. */
export type AuthenticatedContext = RequestContext & { readonly caller: Caller };

/** What the steps of an operation work with. */
export interface PipelineServices {
  readonly database: Reads & CommandWriter;
  readonly authenticate: Authenticate;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** The limit of callers that have none of their own. */
  readonly rateLimit: RateLimit | undefined;
  readonly limitRate: RateLimiter;
  /** How long a body may take to arrive. */
  readonly bodySecondsMax: number;
  readonly uses: ApiKeyUses;
  readonly hideApiKeys: HideApiKeys;
  readonly responseCache: ResponseCache;
  readonly writeOnce: WriteOnce;
  readonly feed: Feed;
  /** Milliseconds of a clock that is never set. */
  readonly steadyNow: () => number;
  /** Aborts where what goes on is to end, because the server stops. */
  readonly stopping: AbortSignal;
  /** Tells the log of what ended an answer that had begun. */
  readonly reportFault: (context: RequestContext, error: unknown) => unknown;
  /** For the operations that only the console calls. */
  readonly console: ConsoleServices | undefined;
}

export interface OperationServices extends PipelineServices {
  readonly operation: Operation | ConsoleOperation;
  /** Of an operation that goes away: what its answers say of that. */
  readonly deprecationHeaders:
    | ((baseUrl: string, now: number) => Readonly<Record<string, string>>)
    | undefined;
}
