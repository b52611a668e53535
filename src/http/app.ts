import { background } from '../context/context.ts';
import type { HideApiKeys } from '../domain/access/hide-api-keys.ts';
import { echo } from '../domain/echo.ts';
import type { Awaitable } from '../domain/values/awaitable.ts';
import { CallEnded } from '../domain/values/context.ts';
import { type Answer, errorAnswer, faultFailure } from './answer/answer.ts';
import { createEndpoints } from './endpoints.ts';
import { type Failure, fail, isFailure } from './failure.ts';
import { basePath } from './public-urls.ts';
import { acceptPatch } from './request/read-json.ts';
import {
  clientAddress,
  readRequestId,
  readRequestTarget,
  type Transport,
} from './request/request-head.ts';
import type { RequestContext } from './request-context.ts';
import type { LoggedRequest, Meter } from './request-log.ts';
import { createResponsePolicies, type ResponsePolicy } from './response-policy.ts';
import { createRouter, type RouteMatch } from './router.ts';
import type { AppOptions, PipelineServices } from './services.ts';

/** The whole service as a function, without a socket. It never throws. */
export type App = (request: Request, transport?: Transport) => Awaitable<Response>;

type Found = RouteMatch | undefined;

/** For requests without a connection. */
const noTransport: Transport = {
  addressOf: () => undefined,
  closeWhenIdle: () => new DisposableStack(),
};

export function createApp(options: AppOptions): App {
  const { log, hideApiKeys } = options;
  const otherMeter = options.meterOf?.(undefined);
  const report = createReport(options, otherMeter);
  const policyOf = createResponsePolicies(options.corsOrigins);
  const match = createRouter(
    createEndpoints(options, {
      reportFault: failureOf,
      reportRepeated: (context, error) =>
        log.repeated({ ...describeRequest(context, options), error }),
      reportRead: createReadReport(options),
      reportRefusal: (context, refusal, reason) =>
        log.refused({ ...describeRequest(context, options), refusal, reason }),
    }),
  );

  function failureOf(context: RequestContext, error: unknown): Failure {
    // The client has left.
    if (error instanceof CallEnded && context.request.signal.aborted) return faultFailure(error);
    log.failed({ ...describeRequest(context, options), error });
    return faultFailure(error);
  }

  function finish(
    policy: ResponsePolicy,
    context: RequestContext,
    found: Found,
    startedAt: number,
    result: Answer | Failure,
  ): Response {
    const answer = isFailure(result) ? errorAnswer(result) : result;
    report?.(context, found, startedAt, result, answer.httpStatus);
    const response = policy.toResponse(answer, context.headers);
    for (const cookie of context.setCookies) response.headers.append('set-cookie', cookie);
    return response;
  }

  return (request, transport = noTransport) => {
    const context = createContext(request, transport, options);
    const startedAt = report !== undefined ? performance.now() : 0;
    const { path } = context.target;
    const found = match(path);
    const policy = policyOf(path);
    Object.assign(context.headers, policy.originHeaders?.(request.headers.get('origin')));
    try {
      const result = dispatch(context, found, policy, hideApiKeys);
      if (!(result instanceof Promise)) return finish(policy, context, found, startedAt, result);
      return result.then(
        (late) => finish(policy, context, found, startedAt, late),
        (error) => finish(policy, context, found, startedAt, failureOf(context, error)),
      );
    } catch (error) {
      return finish(policy, context, found, startedAt, failureOf(context, error));
    }
  };
}

function createContext(
  request: Request,
  transport: Transport,
  options: AppOptions,
): RequestContext {
  const { publicUrls, environment, newRequestId, now, hideApiKeys, isDraining, log } = options;
  const isLogged = log.read !== undefined || log.answered !== undefined;
  const requestId = readRequestId(request.headers, hideApiKeys) ?? newRequestId();
  const target = readRequestTarget(request);
  const headers: Record<string, string> = { 'x-request-id': requestId };
  // Keep-alive clients then reconnect, to another server.
  if (isDraining()) headers.connection = 'close';
  return {
    request,
    requestId,
    target,
    transport,
    address: isLogged ? clientAddress(request, transport, options.trustedProxies) : undefined,
    pathParameters: {},
    baseUrl: publicUrls[environment] ?? `${target.origin}${basePath}`,
    now: now(),
    headers,
    setCookies: [],
    caller: undefined,
    call: background,
  };
}

/** Counts and logs the results of requests. Undefined if neither is configured, which saves the time. */
function createReport(options: AppOptions, otherMeter: Meter | undefined) {
  const { log } = options;
  if (log.answered === undefined && otherMeter === undefined) return undefined;
  return (
    context: RequestContext,
    found: Found,
    startedAt: number,
    result: Answer | Failure,
    httpStatus: number,
  ): void => {
    const milliseconds = performance.now() - startedAt;
    const meter = found?.route.byMethod.get(context.request.method)?.meter ?? otherMeter;
    const code = isFailure(result) ? result.code : undefined;
    meter?.(httpStatus, code, milliseconds / 1000);
    log.answered?.({ ...describeRequest(context, options), httpStatus, code, milliseconds });
  };
}

/** Logs records that were read. Undefined if reads are not logged. */
function createReadReport(options: AppOptions): PipelineServices['reportRead'] {
  const { read } = options.log;
  if (read === undefined) return undefined;
  return (context, recordCount) => {
    if (recordCount === 0 || context.request.method === 'HEAD') return;
    read({ ...describeRequest(context, options), recordCount });
  };
}

/** What the log contains about every request. */
function describeRequest(
  { request, requestId, target, transport, address, caller }: RequestContext,
  { hideApiKeys, trustedProxies }: AppOptions,
): LoggedRequest {
  return {
    requestId,
    method: request.method,
    path: hideApiKeys(target.path),
    address: address ?? clientAddress(request, transport, trustedProxies),
    apiKeyId: caller?.apiKeyId === undefined ? undefined : Number(caller.apiKeyId),
    sessionId: caller?.sessionId,
    workspace: caller?.workspaceName,
  };
}

/** Passes a request to the endpoint of its path and method. */
function dispatch(
  context: RequestContext,
  found: Found,
  { preflightHeaders }: ResponsePolicy,
  hideApiKeys: HideApiKeys,
): Awaitable<Answer | Failure> {
  const { request, target, headers } = context;
  if (!target.hostIsValid) return invalidHost;
  if (found === undefined) {
    // After this, a script of another site may send the request itself and read the 404.
    if (isPreflight(request) && preflightHeaders !== undefined) {
      addPreflight(headers, preflightHeaders(everyMethod, wantedHeaders(request)));
      return noContent;
    }
    return fail('route_not_found', `There is no path ${echo(target.path, hideApiKeys)}`);
  }
  const { route, parameters } = found;
  const { allow } = route;
  if (request.method === 'OPTIONS') {
    const patch = route.byMethod.has('PATCH') ? acceptPatch : {};
    Object.assign(headers, { allow, ...patch });
    addPreflight(headers, preflightHeaders?.(allow, wantedHeaders(request)));
    return noContent;
  }
  const endpoint = route.byMethod.get(request.method);
  if (endpoint === undefined) {
    const method = echo(request.method, hideApiKeys);
    const message = `${method} is not allowed on this path; allowed: ${allow}`;
    return fail('method_not_allowed', message, { allow });
  }
  context.pathParameters = parameters;
  return endpoint.respond(context);
}

function isPreflight({ method, headers }: Request): boolean {
  return method === 'OPTIONS' && headers.has('access-control-request-method');
}

function wantedHeaders({ headers }: Request): string | null {
  return headers.get('access-control-request-headers');
}

/** Adds the headers of a preflight. `Vary` can have a value already. */
function addPreflight(
  headers: Record<string, string>,
  more: Readonly<Record<string, string>> = {},
): void {
  const vary = [headers.vary, more.vary].filter((each) => each !== undefined).join(', ');
  Object.assign(headers, more, vary === '' ? {} : { vary });
}

const everyMethod = 'GET, HEAD, POST, PATCH, PUT, DELETE';

const noContent: Answer = { httpStatus: 204, headers: {}, body: null };

const invalidHost = fail(
  'invalid_header',
  'Host must be sent once, as a host name with an optional port',
);
