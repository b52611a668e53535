import type { BlockList } from 'node:net';
import type { Awaitable } from '../domain/awaitable.ts';
import type { CommandWriter } from '../domain/commands.ts';
import type { DataVersion } from '../domain/database.ts';
import { echo, type Failure, fail, type HideApiKeys, isFailure } from '../domain/error.ts';
import type { RateLimit } from '../domain/rate-limit.ts';
import type { Reads } from '../domain/reads.ts';
import type { Answer } from './answer.ts';
import type { ApiKeyUses } from './api-key-uses.ts';
import { type Authentication, createAuthenticate } from './authenticate.ts';
import { clientAddress } from './client-address.ts';
import { type Cors, type CorsOrigins, createCors } from './cors.ts';
import { createDeprecationHeaders } from './deprecation.ts';
import { docsEndpoints } from './docs.ts';
import { errorAnswer, faultFailure } from './error-response.ts';
import type { Feed } from './feed.ts';
import { healthEndpoints } from './health.ts';
import { createIdempotentWrites } from './idempotency.ts';
import { documentEndpoints } from './openapi-endpoints.ts';
import type { Operation } from './operation.ts';
import { answerOperation } from './pipeline.ts';
import { basePath, type PublicUrls } from './public-urls.ts';
import { createRateLimiter } from './rate-limit.ts';
import { acceptPatch } from './read-json.ts';
import type { PipelineServices, RequestContext, Responder, Transport } from './request-context.ts';
import { readRequestId } from './request-id.ts';
import type { LoggedRequest, Meter, RequestLog } from './request-log.ts';
import { readRequestTarget } from './request-target.ts';
import type { ResponseCache } from './response-cache.ts';
import { createRouter, type Endpoint, type RouteMatch } from './router.ts';
import { createToResponse } from './to-response.ts';

export interface AppOptions extends Authentication {
  readonly database: Reads & CommandWriter & DataVersion;
  readonly operations: readonly Operation[];
  readonly uses: ApiKeyUses;
  readonly publicUrls: PublicUrls;
  readonly corsOrigins: CorsOrigins;
  /** Of every key that has none of its own; undefined for none. */
  readonly rateLimit: RateLimit | undefined;
  readonly responseCache: ResponseCache;
  readonly feed: Feed;
  /** How long a body may take to arrive. */
  readonly bodySecondsMax: number;
  /** Milliseconds of a clock that is never set. */
  readonly steadyNow: () => number;
  readonly newRequestId: () => string;
  /** Whether the server was told to stop: it still answers, and wants no more connections. */
  readonly isDraining: () => boolean;
  /** Aborts where what goes on is to end, because the server stops. */
  readonly stopping: AbortSignal;
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

/** What a path and a method lead to, and what counts its answers. */
interface Served {
  readonly respond: Responder;
  readonly meter: Meter | undefined;
}

/** The whole service as a function, without a socket. It never throws. */
export type App = (request: Request, transport?: Transport) => Awaitable<Response>;

/** Of a request that came over no connection. */
const noTransport: Transport = {
  addressOf: () => undefined,
  closeWhenIdle: () => new DisposableStack(),
};

export function createApp(options: AppOptions): App {
  const { environment, publicUrls, newRequestId, log, now, hideApiKeys, isDraining } = options;
  const ownUrl = publicUrls[environment];
  const cors = createCors(options.corsOrigins);
  const otherMeter = options.meterOf?.(undefined);
  const isTimed = log.answered !== undefined || otherMeter !== undefined;
  const match = createRouter<Served>([
    ...operationEndpoints(options, failureOf),
    ...otherEndpoints(options, otherMeter),
  ]);
  const toResponse = createToResponse({ 'x-content-type-options': 'nosniff', ...cors.always });

  function describe({ request, requestId, target, transport, caller }: RequestContext) {
    const described: LoggedRequest = {
      requestId,
      method: request.method,
      path: hideApiKeys(target.path),
      address: clientAddress(request, transport, options.trustedProxies),
      apiKeyId: caller && Number(caller.apiKeyId),
      workspace: caller?.workspaceName,
    };
    return described;
  }

  function finish(
    context: RequestContext,
    found: RouteMatch<Served> | undefined,
    startedAt: number,
    result: Answer | Failure,
  ): Response {
    const answer = isFailure(result) ? errorAnswer(result) : result;
    if (isTimed) {
      const { httpStatus } = answer;
      const milliseconds = performance.now() - startedAt;
      const meter = found?.route.endpoints.get(context.request.method)?.meter ?? otherMeter;
      const code = isFailure(result) ? result.code : undefined;
      meter?.(httpStatus, code, milliseconds / 1000);
      log.answered?.({ ...describe(context), httpStatus, code, milliseconds });
    }
    return toResponse(answer, context.headers);
  }

  function failureOf(context: RequestContext, error: unknown): Failure {
    log.failed({ ...describe(context), error });
    return faultFailure(error);
  }

  return (request, transport = noTransport) => {
    const startedAt = isTimed ? performance.now() : 0;
    const requestId = readRequestId(request.headers, hideApiKeys) ?? newRequestId();
    const target = readRequestTarget(request);
    const found = match(target.path);
    const headers: Record<string, string> = { 'x-request-id': requestId };
    // Whoever keeps the connection would send the next request to a server that is gone.
    if (isDraining()) headers.connection = 'close';
    if (cors.forOrigin !== undefined) {
      Object.assign(headers, cors.forOrigin(request.headers.get('origin')));
    }
    const context: RequestContext = {
      request,
      requestId,
      target,
      transport,
      pathParameters: {},
      baseUrl: ownUrl ?? `${target.origin}${basePath}`,
      now: now(),
      headers,
      caller: undefined,
    };
    try {
      const result = dispatch(context, found, cors, hideApiKeys);
      if (!(result instanceof Promise)) return finish(context, found, startedAt, result);
      return result.then(
        (late) => finish(context, found, startedAt, late),
        (error) => finish(context, found, startedAt, failureOf(context, error)),
      );
    } catch (error) {
      return finish(context, found, startedAt, failureOf(context, error));
    }
  };
}

/** Leads a request to what answers it. */
function dispatch(
  context: RequestContext,
  found: RouteMatch<Served> | undefined,
  cors: Cors,
  hideApiKeys: HideApiKeys,
): Awaitable<Answer | Failure> {
  const { request, target } = context;
  if (!target.hostIsValid) return invalidHost;
  if (found === undefined) {
    const path = echo(target.path, hideApiKeys);
    return fail('route_not_found', `There is no path ${path}`);
  }
  const { route, parameters } = found;
  if (request.method === 'OPTIONS') {
    const patch = route.endpoints.has('PATCH') ? acceptPatch : {};
    const { allow } = route;
    Object.assign(context.headers, { allow, ...patch }, cors.preflightHeaders(allow));
    return { httpStatus: 204, headers: {}, body: null };
  }
  const served = route.endpoints.get(request.method);
  if (served === undefined) {
    const method = echo(request.method, hideApiKeys);
    const message = `${method} is not allowed on this path; allowed: ${route.allow}`;
    return fail('method_not_allowed', message, { allow: route.allow });
  }
  context.pathParameters = parameters;
  return served.respond(context);
}

const invalidHost = fail(
  'invalid_header',
  'Host must be sent once, as a host name with an optional port',
);

function otherEndpoints(options: AppOptions, meter: Meter | undefined): Endpoint<Served>[] {
  const { operations, environment, publicUrls } = options;
  return [
    ...documentEndpoints(operations, environment, publicUrls),
    ...docsEndpoints(publicUrls),
    ...healthEndpoints(options),
  ].map(({ value: respond, ...at }) => ({ ...at, value: { respond, meter } }));
}

function operationEndpoints(
  options: AppOptions,
  reportFault: PipelineServices['reportFault'],
): Endpoint<Served>[] {
  const { database, uses, steadyNow, rateLimit, responseCache, meterOf, hideApiKeys } = options;
  const services: PipelineServices = {
    reads: database,
    uses,
    hideApiKeys,
    authenticate: createAuthenticate(options),
    now: options.now,
    limitRate: createRateLimiter(rateLimit, steadyNow),
    responseCache,
    bodySecondsMax: options.bodySecondsMax,
    idempotentWrites: createIdempotentWrites(database),
    feed: options.feed,
    steadyNow,
    stopping: options.stopping,
    reportFault,
  };
  return options.operations.map((operation) => {
    const { deprecation } = operation;
    const deprecationHeaders = deprecation && createDeprecationHeaders(deprecation);
    const ownServices = { ...services, operation, deprecationHeaders };
    return {
      method: operation.method,
      path: `${basePath}${operation.path}`,
      value: {
        respond: (context) => answerOperation(context, ownServices),
        meter: meterOf?.(operation.operationId),
      },
    };
  });
}
