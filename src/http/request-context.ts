import type { Awaitable } from '../domain/values/awaitable.ts';
import type { Context } from '../domain/values/context.ts';
import type { Caller } from './access/caller.ts';
import type { Answer } from './answer/answer.ts';
import type { Failure } from './failure.ts';
import type { RequestTarget, Transport } from './request/request-head.ts';

/** How long a request may take, after its body has arrived. Each statement in it has a shorter limit. */
const requestMillisecondsMax = 5000;

/** A request, and what becomes known about it. */
export interface RequestContext {
  /** What ends the reads and commands of the request. Until `beginCall`, nothing does. */
  call: Context;
  readonly request: Request;
  readonly requestId: string;
  readonly target: RequestTarget;
  readonly transport: Transport;
  /** The address of the client, if it is logged: the connection does not know it any more after the client has left. */
  readonly address: string | undefined;
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

/** Gives a request time from now on, because it was authenticated, its body has arrived, or it has waited for something else. */
export function beginCall(
  context: RequestContext,
  report: ReportToLog,
  millisecondsMax = requestMillisecondsMax,
  // The client can leave. The runtime makes its signal now, which costs as much as a small statement.
  signal = context.request.signal,
): Context {
  context.call = {
    signal,
    deadline: performance.now() + millisecondsMax,
    report: (error) => report(context, error),
  };
  return context.call;
}

/** Logs an error with what is known about its request. */
export type ReportToLog = (context: RequestContext, error: unknown) => void;

/** Answers the requests for a page, a document or an operation. */
export type Responder = (context: RequestContext) => Awaitable<Answer | Failure>;

/** A request after authentication. */
export type AuthenticatedContext = RequestContext & { readonly caller: Caller };
