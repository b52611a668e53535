import { echo, type HideApiKeys } from '../domain/echo.ts';
import type { Awaitable } from '../domain/values/awaitable.ts';
import {
  type Answer,
  errorAnswer,
  type Failure,
  fail,
  faultFailure,
  isFailure,
} from './answer/answer.ts';
import { type Cors, type CorsOrigins, noCors } from './cors.ts';
import { createEndpoints, type EndpointOptions, type Served } from './endpoints.ts';
import { basePath } from './public-urls.ts';
import { clientAddress } from './request/client-address.ts';
import { acceptPatch } from './request/read-json.ts';
import { readRequestId } from './request/request-id.ts';
import { readRequestTarget } from './request/request-target.ts';
import type { RequestContext, Transport } from './request-context.ts';
import type { LoggedRequest, RefusedConsoleRequest } from './request-log.ts';
import { createSurfaces, type ResponsePolicy } from './response-policy.ts';
import { createRouter, type RouteMatch } from './router.ts';

export interface AppOptions extends EndpointOptions {
  readonly corsOrigins: CorsOrigins;
  readonly newRequestId: () => string;
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
  const otherMeter = options.meterOf?.(undefined);
  const isTimed = log.answered !== undefined || otherMeter !== undefined;
  const describe = (context: RequestContext) => describeRequest(context, options);
  const match = createRouter(createEndpoints(options, otherMeter, failureOf, reportRefusal));
  const surfaceOf = createSurfaces(options.corsOrigins);

  function finish(
    { toResponse }: ResponsePolicy,
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
    const response = toResponse(answer, context.headers);
    for (const cookie of context.setCookies) response.headers.append('set-cookie', cookie);
    return response;
  }

  function failureOf(context: RequestContext, error: unknown): Failure {
    log.failed({ ...describe(context), error });
    return faultFailure(error);
  }

  function reportRefusal(
    context: RequestContext,
    refusal: RefusedConsoleRequest['refusal'],
    reason: string,
  ): void {
    log.refused({ ...describe(context), refusal, reason });
  }

  return (request, transport = noTransport) => {
    const startedAt = isTimed ? performance.now() : 0;
    const requestId = readRequestId(request.headers, hideApiKeys) ?? newRequestId();
    const target = readRequestTarget(request);
    const found = match(target.path);
    const headers: Record<string, string> = { 'x-request-id': requestId };
    // Whoever keeps the connection would send the next request to a server that is gone.
    if (isDraining()) headers.connection = 'close';
    const surface = surfaceOf(target.path);
    const { cors } = surface;
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
      setCookies: [],
      caller: undefined,
    };
    try {
      const result = dispatch(context, found, cors, hideApiKeys);
      if (!(result instanceof Promise)) return finish(surface, context, found, startedAt, result);
      return result.then(
        (late) => finish(surface, context, found, startedAt, late),
        (error) => finish(surface, context, found, startedAt, failureOf(context, error)),
      );
    } catch (error) {
      return finish(surface, context, found, startedAt, failureOf(context, error));
    }
  };
}

/** What the log says of every request. */
function describeRequest(
  { request, requestId, target, transport, caller }: RequestContext,
  { hideApiKeys, trustedProxies }: AppOptions,
): LoggedRequest {
  return {
    requestId,
    method: request.method,
    path: hideApiKeys(target.path),
    address: clientAddress(request, transport, trustedProxies),
    apiKeyId: caller?.apiKeyId === undefined ? undefined : Number(caller.apiKeyId),
    sessionId: caller?.sessionId,
    workspace: caller?.workspaceName,
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
    // After this a script of another site may send the request itself, and read why it is 404.
    if (isPreflight(request) && cors !== noCors) {
      Object.assign(context.headers, cors.preflightHeaders(everyMethod));
      return noContent;
    }
    const path = echo(target.path, hideApiKeys);
    return fail('route_not_found', `There is no path ${path}`);
  }
  const { route, parameters } = found;
  if (request.method === 'OPTIONS') {
    const patch = route.endpoints.has('PATCH') ? acceptPatch : {};
    const { allow } = route;
    Object.assign(context.headers, { allow, ...patch }, cors.preflightHeaders(allow));
    return noContent;
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

function isPreflight({ method, headers }: Request): boolean {
  return method === 'OPTIONS' && headers.has('access-control-request-method');
}

const everyMethod = 'GET, HEAD, POST, PATCH, PUT, DELETE';

const noContent: Answer = { httpStatus: 204, headers: {}, body: null };

const invalidHost = fail(
  'invalid_header',
  'Host must be sent once, as a host name with an optional port',
);
