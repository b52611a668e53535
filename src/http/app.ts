import type { BlockList } from 'node:net';
import type { Environment } from '../domain/api-key.ts';
import type { Awaitable } from '../domain/database.ts';
import { DatabaseOutcomeUnknown, DatabaseUnavailable } from '../domain/database.ts';
import {
  type ErrorCode,
  echo,
  type Failure,
  fail,
  type HideApiKeys,
  isFailure,
} from '../domain/error.ts';
import type { RateLimit } from '../domain/rate-limit.ts';
import type { Answer } from './answer.ts';
import type { ApiKeyUses } from './api-key-uses.ts';
import { type Authentication, createAuthenticate } from './authenticate.ts';
import { clientAddress, type PeerAddress } from './client-address.ts';
import { type CorsOrigins, createCors } from './cors.ts';
import { docsEndpoints } from './docs.ts';
import { errorAnswer } from './error-response.ts';
import type { Exchange, PipelineServices, Seen } from './exchange.ts';
import { healthEndpoints } from './health.ts';
import { createIdempotentWrites } from './idempotency.ts';
import type { KeptAnswers } from './kept-answers.ts';
import { documentEndpoints } from './openapi-endpoints.ts';
import { basePath, operations } from './operations.ts';
import { answerOperation } from './pipeline.ts';
import { createRateLimiter } from './rate-limit.ts';
import { createRouter, type Endpoint, type RouteMatch } from './router.ts';
import { readRequestId, readTarget, type Target } from './target.ts';

/** The public addresses that are known, each ending in `/v1`. */
export type PublicUrls = Readonly<Partial<Record<Environment, string>>>;

/** A request, as far as it is known when something is logged of it. */
export interface LoggedRequest {
  readonly requestId: string;
  readonly method: string;
  readonly path: string;
  /** Of the caller, where that is known. */
  readonly address?: string | undefined;
  /** Of a caller whose key opened; 0 for the key that the operator gave. */
  readonly apiKeyId?: number | undefined;
  readonly workspace?: string | undefined;
}

export interface AnsweredRequest extends LoggedRequest {
  readonly httpStatus: number;
  /** Why it was refused, where it was. */
  readonly code: ErrorCode | undefined;
  readonly milliseconds: number;
}

export interface FailedRequest extends LoggedRequest {
  readonly error: unknown;
}

export interface RequestLog {
  /** Undefined where nobody wants to know, which spares the work of telling. */
  readonly answered: ((entry: AnsweredRequest) => void) | undefined;
  readonly failed: (entry: FailedRequest) => void;
}

/** Counts an answer: why it was refused, where it was, and how long it took until it was ready to be sent. */
export type Meter = (httpStatus: number, refusal: ErrorCode | undefined, seconds: number) => void;

export interface AppOptions extends Authentication {
  readonly uses: ApiKeyUses;
  readonly publicUrls: PublicUrls;
  readonly corsOrigins: CorsOrigins;
  /** Of every key that has none of its own; undefined for none. */
  readonly rateLimit: RateLimit | undefined;
  readonly kept: KeptAnswers;
  /** How long a body may take to arrive. */
  readonly bodySecondsMax: number;
  /** Milliseconds of a clock that is never set. */
  readonly steadyNow: () => number;
  readonly newRequestId: () => string;
  readonly isDraining: () => boolean;
  readonly log: RequestLog;
  /** Proxies whose `X-Forwarded-For` is believed. */
  readonly trustedProxies: BlockList | undefined;
  /** Before anything that was sent is repeated in a message or in the log. */
  readonly hideApiKeys: HideApiKeys;
  /**
   * Gives what counts the answers of one operation, or of all else. Undefined where nobody wants to know, which
   * spares the work of counting.
   */
  readonly meterOf: ((operationId: string | undefined) => Meter) | undefined;
}

/** Answers with a page, a document or an operation. */
export type Responder = (exchange: Exchange) => Awaitable<Answer | Failure>;

/** What a path and a method lead to, and what counts its answers. */
interface Served {
  readonly respond: Responder;
  readonly meter: Meter | undefined;
}

/** The whole service as a function, without a socket. It never throws. */
export type App = (request: Request, peerAddress?: PeerAddress) => Awaitable<Response>;

export function createApp(options: AppOptions): App {
  const { environment, publicUrls, newRequestId, log, now, hideApiKeys } = options;
  const ownUrl = publicUrls[environment];
  const cors = createCors(options.corsOrigins);
  const otherMeter = options.meterOf?.(undefined);
  const others = [
    ...documentEndpoints(environment, publicUrls),
    ...docsEndpoints(publicUrls),
    ...healthEndpoints(options),
  ];
  const match = createRouter<Served>([
    ...operationEndpoints(options),
    ...others.map(({ value: respond, ...at }) => ({
      ...at,
      value: { respond, meter: otherMeter },
    })),
  ]);
  const toResponse = createResponder({ 'x-content-type-options': 'nosniff', ...cors.always });

  function answer(
    request: Request,
    target: Target,
    found: RouteMatch<Served> | undefined,
    headers: Record<string, string>,
    seen: Seen,
  ): Awaitable<Answer | Failure> {
    if (!target.hostIsValid) {
      return fail('invalid_header', 'Host must be sent once, as a host name with an optional port');
    }
    if (found === undefined) {
      return fail(
        'route_not_found',
        `There is nothing at the path ${echo(target.path, hideApiKeys)}`,
      );
    }
    const { route, parameters } = found;
    if (request.method === 'OPTIONS') {
      Object.assign(headers, { allow: route.allow }, cors.preflightHeaders(route.allow));
      return { httpStatus: 204, headers: {}, body: null };
    }
    const served = route.endpoints.get(request.method);
    if (served === undefined) {
      return fail(
        'method_not_allowed',
        `${echo(request.method, hideApiKeys)} is not a method of this path; it has ${route.allow}`,
        { allow: route.allow },
      );
    }
    const { search, origin } = target;
    const baseUrl = ownUrl ?? `${origin}${basePath}`;
    return served.respond({
      request,
      pathParameters: parameters,
      search,
      baseUrl,
      now: now(),
      headers,
      seen,
    });
  }

  const isTimed = log.answered !== undefined || otherMeter !== undefined;
  return (request, peerAddress = () => undefined) => {
    const startedAt = isTimed ? performance.now() : 0;
    const requestId = readRequestId(request.headers, hideApiKeys) ?? newRequestId();
    const target = readTarget(request);
    const found = match(target.path);
    const headers: Record<string, string> = { 'x-request-id': requestId };
    const seen: Seen = { caller: undefined };
    // Whoever keeps the connection would send the next request to a server that is gone.
    if (options.isDraining()) headers.connection = 'close';
    if (cors.forOrigin !== undefined) {
      Object.assign(headers, cors.forOrigin(request.headers.get('origin')));
    }

    function describe(): LoggedRequest {
      return {
        requestId,
        method: request.method,
        path: hideApiKeys(target.path),
        address: clientAddress(request, peerAddress, options.trustedProxies),
        apiKeyId: seen.caller && Number(seen.caller.apiKeyId),
        workspace: seen.caller?.workspaceName,
      };
    }
    function finish(result: Answer | Failure): Response {
      const answer = isFailure(result) ? errorAnswer(result) : result;
      if (isTimed) {
        const { httpStatus } = answer;
        const milliseconds = performance.now() - startedAt;
        const served = found?.route.endpoints.get(request.method);
        const meter = served?.meter ?? otherMeter;
        const code = isFailure(result) ? result.code : undefined;
        meter?.(httpStatus, code, milliseconds / 1000);
        log.answered?.({ ...describe(), httpStatus, code, milliseconds });
      }
      return toResponse(answer, headers);
    }
    function finishFault(error: unknown): Response {
      log.failed({ ...describe(), error });
      return finish(describeFault(error));
    }

    try {
      const result = answer(request, target, found, headers, seen);
      return result instanceof Promise ? result.then(finish, finishFault) : finish(result);
    } catch (error) {
      return finishFault(error);
    }
  };
}

/**
 * Makes responses. One that will be sent many times is made once and copied, which costs a fraction of
 * making it; `headers` are those of this request alone.
 */
function createResponder(always: Readonly<Record<string, string>>) {
  const prototypes = new WeakMap<Answer, Response>();

  function make({ httpStatus, headers, body }: Answer, more: Record<string, string>): Response {
    const response = new Response(body as string | Uint8Array<ArrayBuffer> | null, {
      status: httpStatus,
      headers: { ...always, ...headers },
    });
    addHeaders(response.headers, more);
    return response;
  }

  return (answer: Answer, headers: Record<string, string>): Response => {
    if (answer.reused !== true) return make(answer, headers);
    let prototype = prototypes.get(answer);
    if (prototype === undefined) {
      prototype = make(answer, {});
      prototypes.set(answer, prototype);
    }
    const response = prototype.clone() as unknown as Response;
    addHeaders(response.headers, headers);
    return response;
  };
}

function addHeaders(headers: Headers, more: Readonly<Record<string, string>>): void {
  for (const name in more) {
    const value = more[name] ?? '';
    // These are lists, to which both the answer and its request may have something to say.
    if (name === 'vary' || name === 'link') headers.append(name, value);
    else headers.set(name, value);
  }
}

function describeFault(error: unknown): Failure {
  if (error instanceof DatabaseUnavailable) return error.isFull ? full : unavailable;
  if (error instanceof DatabaseOutcomeUnknown) return outcomeUnknown;
  return internalError;
}

const internalError = fail(
  'internal_error',
  'The service failed; quote the X-Request-Id of this answer when you report it',
);

const unavailable = fail('unavailable', 'Storage is not available now; try again soon', {
  'retry-after': '1',
});

const full = fail('unavailable', 'Storage is full; nothing can be written until there is room', {
  'retry-after': '1',
});

const outcomeUnknown = fail(
  'outcome_unknown',
  'The write did not end in time and may be done or not; retry with the same Idempotency-Key',
  { 'retry-after': '1' },
);

function operationEndpoints(options: AppOptions): Endpoint<Served>[] {
  const { database, uses, steadyNow, rateLimit, kept, meterOf, hideApiKeys } = options;
  const { bodySecondsMax } = options;
  const services: PipelineServices = {
    database,
    uses,
    hideApiKeys,
    authenticate: createAuthenticate(options),
    limitRate: createRateLimiter(rateLimit, steadyNow),
    kept,
    bodySecondsMax,
    idempotentWrites: createIdempotentWrites(database),
  };
  return operations.map((operation) => ({
    method: operation.method,
    path: `${basePath}${operation.path}`,
    value: {
      respond: (exchange) => answerOperation(operation, exchange, services),
      meter: meterOf?.(operation.operationId),
    },
  }));
}
