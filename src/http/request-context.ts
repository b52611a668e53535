import { type BlockList, isIP } from 'node:net';
import type { HideApiKeys } from '../domain/access/hide-api-keys.ts';
import type { Awaitable } from '../domain/values/awaitable.ts';
import type { Context } from '../domain/values/context.ts';
import type { Caller } from './access/caller.ts';
import type { Answer } from './answer/answer.ts';
import type { ErrorCode, Failure } from './failure.ts';

/** The connection of a request. */
export interface Transport {
  /** The address of the other end. Undefined without a connection, or after it has closed. */
  addressOf(request: Request): string | undefined;
  /** Closes an idle connection only after this many seconds, until the result is disposed of. */
  closeWhenIdle(request: Request, seconds: number): Disposable;
}

/** The URL of a request in parts, and whether its `Host` is valid. */
export interface RequestTarget {
  /** Scheme and authority. Empty for a request without a host, as HTTP/1.0 allows. */
  readonly origin: string;
  readonly path: string;
  /** The text after the `?`. */
  readonly search: string;
  readonly hostIsValid: boolean;
}

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

/** Logs an error with what is known about its request. */
export type ReportToLog = (context: RequestContext, error: unknown) => void;

/** Answers the requests for a page, a document or an operation. */
export type Responder = (context: RequestContext) => Awaitable<Answer | Failure>;

/** A request after authentication. */
export type AuthenticatedContext = RequestContext & { readonly caller: Caller };

/** Answers the requests for one path and method. */
export interface Endpoint {
  readonly method: string;
  /** An exact path, in which `{name}` matches one segment of any text. */
  readonly path: string;
  readonly respond: Responder;
  /** Undefined for paths that are counted together. */
  readonly meter?: Meter | undefined;
}

/** Counts a response: its status, its error code if it is an error, and the seconds until it was ready. */
export type Meter = (httpStatus: number, refusal: ErrorCode | undefined, seconds: number) => void;

/** How long a request may take, after its body has arrived. Each statement in it has a shorter limit. */
const requestMillisecondsMax = 5000;

/** Gives a request time from now on, because it was authenticated, its body has arrived, or it has waited for something else. */
export function beginCall(
  context: RequestContext,
  report: ReportToLog,
  millisecondsMax = requestMillisecondsMax,
  /** What ends the call instead of a client that leaves. */
  signal?: AbortSignal,
): Context {
  context.call = {
    // The client can leave. The runtime makes its signal when it is read, which costs as much as a small statement.
    get signal() {
      return signal ?? context.request.signal;
    },
    deadline: performance.now() + millisecondsMax,
    report: (error) => report(context, error),
  };
  return context.call;
}

/** The id that the client sent, if its form is valid and it is no API key. */
export function readRequestId(headers: Headers, hide: HideApiKeys): string | undefined {
  const sent = headers.get('x-request-id');
  if (sent === null || !/^[A-Za-z0-9/+_=.-]{1,128}$/.test(sent)) return undefined;
  return hide(sent) === sent ? sent : undefined;
}

/** Splits the URL without `new URL`, which throws for the bare path that the server passes if `Host` is malformed. */
export function readRequestTarget({ url, headers }: Request): RequestTarget {
  const schemeEnd = url.indexOf('://');
  const pathStart = schemeEnd === -1 || url.startsWith('/') ? 0 : url.indexOf('/', schemeEnd + 3);
  const hash = url.indexOf('#', pathStart);
  const end = hash === -1 ? url.length : hash;
  const mark = url.indexOf('?', pathStart);
  const pathEnd = mark === -1 || mark > end ? end : mark;
  return {
    origin: url.slice(0, pathStart),
    path: url.slice(pathStart, pathEnd),
    search: url.slice(pathEnd + 1, end),
    hostIsValid: isHost(headers.get('host')),
  };
}

const host = /^(?:\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._~-]+)(?::([0-9]{0,5}))?$/;

/** Two `Host` headers arrive joined by a comma, which the pattern rejects (RFC 9112, section 3.2). */
function isHost(text: string | null): boolean {
  if (text === null) return true;
  const match = host.exec(text);
  return match !== null && Number(match[1] ?? 0) <= 65535;
}

/**
 * The address of the client: that of the connection or, behind trusted proxies, the last address in `X-Forwarded-For` that is
 * not a trusted proxy. The caller may have forged the addresses before it.
 */
export function clientAddress(
  request: Request,
  transport: Transport,
  trustedProxies: BlockList | undefined,
): string | undefined {
  let address = unmapped(transport.addressOf(request));
  const forwarded = request.headers.get('x-forwarded-for')?.split(',') ?? [];
  while (
    address !== undefined &&
    trustedProxies?.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4') === true
  ) {
    const next = unmapped(withoutPort(forwarded.pop()));
    if (next === undefined || isIP(next) === 0) break;
    address = next;
  }
  return address;
}

/** Some proxies add a port, brackets around IPv6, or quotation marks. */
function withoutPort(text: string | undefined): string | undefined {
  const plain = text?.trim().replace(/^"(.*)"$/, '$1');
  const [, bracketed, ipv4] =
    /^(?:\[([^\]]*)\]|([0-9.]+))(?::[0-9]{1,5})?$/.exec(plain ?? '') ?? [];
  return bracketed ?? ipv4 ?? plain;
}

/** The IPv4 address in an IPv4-mapped IPv6 address (RFC 4291, section 2.5.5.2). */
function unmapped(address: string | undefined): string | undefined {
  return address?.replace(/^::ffff:(?=[0-9.]+$)/i, '');
}
