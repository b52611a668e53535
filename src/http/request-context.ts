import type { Awaitable } from '../domain/values/awaitable.ts';
import type { Caller } from './access/caller.ts';
import type { Answer } from './answer/answer.ts';
import type { Failure } from './failure.ts';
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
  /** Values of `Set-Cookie`. */
  setCookies: readonly string[];
  /** Undefined before authentication. */
  caller: Caller | undefined;
}

/** Answers the requests for a page, a document or an operation. */
export type Responder = (context: RequestContext) => Awaitable<Answer | Failure>;

/** A request after authentication. */
export type AuthenticatedContext = RequestContext & { readonly caller: Caller };
