import type { HideApiKeys } from '../domain/access/hide-api-keys.ts';
import type { RateLimit } from '../domain/access/rate-limit.ts';
import type { CommandWriter } from '../domain/database/command-writer.ts';
import type { Reads } from '../domain/database/registry.ts';
import type { Awaitable } from '../domain/values/awaitable.ts';
import type { ApiKeyUses } from './access/api-key-uses.ts';
import type { Authenticate, Caller } from './access/caller.ts';
import type { LimitRate } from './access/rate-limit.ts';
import type { Answer } from './answer/answer.ts';
import type { ResponseCache } from './answer/response-cache.ts';
import type { WriteOnce } from './answer/write-once.ts';
import type { ConsoleOperation, ConsoleServices } from './console/console-operation.ts';
import type { Failure } from './failure.ts';
import type { Feed } from './feed/feed.ts';
import type { Operation } from './operation.ts';
import type { RequestTarget, Transport } from './request/request-head.ts';

/** A request, and what becomes known about it. */
export interface RequestContext {
  readonly request: Request;
  readonly requestId: string;
  readonly target: RequestTarget;
  readonly transport: Transport;
  /** The text of each `{name}` of the path, as sent. */
  pathParameters: Readonly<Record<string, string>>;
  /** Public address of the service for links, ending in `/v1`. Below the console it is that of its operations. */
  baseUrl: string;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Headers of this response, also if it is an error. */
  readonly headers: Record<string, string>;
  /** Values of `Set-Cookie`, beside that of the answer. */
  setCookies: readonly string[];
  /** Undefined before authentication. */
  caller: Caller | undefined;
}

/** Answers the requests for a page, a document or an operation. */
export type Responder = (context: RequestContext) => Awaitable<Answer | Failure>;

/** A request after authentication. */
export type AuthenticatedContext = RequestContext & { readonly caller: Caller };

/** What the caller of createApp passes, and operations use. */
export interface SharedServices {
  readonly database: Reads & CommandWriter;
  readonly uses: ApiKeyUses;
  readonly responseCache: ResponseCache;
  readonly feed: Feed;
  /** The limit of callers that have none of their own. Undefined for no limit. */
  readonly rateLimit: RateLimit | undefined;
  /** How long a body may take to arrive. */
  readonly bodySecondsMax: number;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Milliseconds of a clock that is never set. */
  readonly steadyNow: () => number;
  /** Aborts when the server stops, so that streams and waiting requests end. */
  readonly stopping: AbortSignal;
  /** Hides API keys in input before a message or the log repeats it. */
  readonly hideApiKeys: HideApiKeys;
}

/** What all operations use. */
export interface PipelineServices extends SharedServices {
  readonly authenticate: Authenticate;
  readonly limitRate: LimitRate;
  readonly writeOnce: WriteOnce;
  /** Logs the error that ended a response after its start. */
  readonly reportFault: (context: RequestContext, error: unknown) => unknown;
  /** For the operations that only the console calls. */
  readonly console: ConsoleServices | undefined;
}

export interface OperationServices extends PipelineServices {
  readonly operation: Operation | ConsoleOperation;
}
