import { background } from '../context/context.ts';
import { echo } from '../domain/echo.ts';
import type { Awaitable } from '../domain/values/awaitable.ts';
import { CallEnded } from '../domain/values/context.ts';
import type { Answer } from './answer/answer.ts';
import { createEndpoints } from './endpoints.ts';
import { errorAnswer, type Failure, fail, faultFailure, isFailure } from './failure.ts';
import { basePath } from './public-urls.ts';
import { acceptPatch } from './request/read-json.ts';
import {
  clientAddress,
  type Endpoint,
  type RequestContext,
  readRequestId,
  readRequestTarget,
  type Transport,
} from './request-context.ts';
import { createResponsePolicies, type ResponsePolicy } from './response-policy.ts';
import type { AppOptions, LoggedRequest } from './services.ts';

/** The whole service as a function, without a socket. It never throws. */
export type App = (request: Request, transport?: Transport) => Awaitable<Response>;

/** For requests without a connection. */
const noTransport: Transport = {
  addressOf: () => undefined,
  closeWhenIdle: () => new DisposableStack(),
};

export function createApp(options: AppOptions): App {
  const { log, hideApiKeys, meterOf } = options;
  const otherMeter = meterOf?.(undefined);
  // Neither is worth its time if nothing is configured that needs it.
  const isMeasured = log.answered !== undefined || otherMeter !== undefined;
  const policyOf = createResponsePolicies(options.corsOrigins);
  const describe = (context: RequestContext) => describeRequest(context, options);
  const match = createRouter(
    createEndpoints(options, {
      reportFault: failureOf,
      reportRepeated: (context, error) => log.repeated({ ...describe(context), error }),
      reportRead: log.read && reportRead,
      reportRefusal: (context, refusal, reason) =>
        log.refused({ ...describe(context), refusal, reason }),
    }),
  );

  function failureOf(context: RequestContext, error: unknown): Failure {
    // Unless the client has left.
    if (!(error instanceof CallEnded && context.request.signal.aborted)) {
      log.failed({ ...describe(context), error });
    }
    return faultFailure(error);
  }

  function reportRead(context: RequestContext, recordCount: number): void {
    if (recordCount === 0 || context.request.method === 'HEAD') return;
    log.read?.({ ...describe(context), recordCount });
  }

  function finish(
    context: RequestContext,
    policy: ResponsePolicy,
    endpoint: Endpoint | undefined,
    startedAt: number,
    result: Answer | Failure,
  ): Response {
    const answer = isFailure(result) ? errorAnswer(result) : result;
    if (isMeasured) {
      const milliseconds = performance.now() - startedAt;
      const { httpStatus } = answer;
      const code = isFailure(result) ? result.code : undefined;
      (endpoint?.meter ?? otherMeter)?.(httpStatus, code, milliseconds / 1000);
      log.answered?.({ ...describe(context), httpStatus, code, milliseconds });
    }
    const response = policy.toResponse(answer, context.headers);
    for (const cookie of context.setCookies) response.headers.append('set-cookie', cookie);
    return response;
  }

  return (request, transport = noTransport) => {
    const context = createContext(request, transport, options);
    const startedAt = isMeasured ? performance.now() : 0;
    const { path } = context.target;
    const found = match(path);
    const endpoint = found?.route.byMethod.get(request.method);
    const policy = policyOf(path);
    Object.assign(context.headers, policy.originHeaders?.(request.headers.get('origin')));
    const end = (result: Answer | Failure) => finish(context, policy, endpoint, startedAt, result);
    try {
      const result = dispatch(context, found, endpoint, policy, hideApiKeys);
      if (!(result instanceof Promise)) return end(result);
      return result.then(end, (error) => end(failureOf(context, error)));
    } catch (error) {
      return end(failureOf(context, error));
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
  found: RouteMatch | undefined,
  endpoint: Endpoint | undefined,
  { preflightHeaders }: ResponsePolicy,
  hideApiKeys: AppOptions['hideApiKeys'],
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

/** A path with an endpoint for each of its methods. */
interface Route {
  readonly path: string;
  readonly byMethod: ReadonlyMap<string, Endpoint>;
  /** Value of the `Allow` header. */
  readonly allow: string;
}

interface RouteMatch {
  readonly route: Route;
  /** The text of each `{name}`, as sent. */
  readonly parameters: Readonly<Record<string, string>>;
}

/**
 * Matches paths exactly: by case, with no trailing or double slash, and without decoding. But the server parses each URL first
 * (https://url.spec.whatwg.org/#path-state): `\` has become `/`, and `..` and `%2e%2e` have removed a segment. So `/v1\..\console`
 * arrives here as `/console`.
 */
function createRouter(endpoints: readonly Endpoint[]): (path: string) => RouteMatch | undefined {
  const routes = [...Map.groupBy(endpoints, ({ path }) => path)].map(([path, group]) =>
    createRoute(path, group),
  );
  const exact = new Map(
    routes
      .filter(({ path }) => !path.includes('{'))
      .map((route) => [route.path, { route, parameters: {} }]),
  );
  const patterns = routes
    .filter(({ path }) => path.includes('{'))
    .map((route) => ({ route, pattern: toPattern(route.path) }));

  return (path) => {
    const found = exact.get(path);
    if (found !== undefined) return found;
    for (const { route, pattern } of patterns) {
      const match = pattern.exec(path);
      if (match !== null) return { route, parameters: { ...match.groups } };
    }
    return undefined;
  };
}

function createRoute(path: string, group: readonly Endpoint[]): Route {
  const byMethod = new Map(group.map((endpoint) => [endpoint.method, endpoint]));
  const methods = [...byMethod.keys()];
  const get = byMethod.get('GET');
  if (get !== undefined) {
    byMethod.set('HEAD', get);
    methods.splice(methods.indexOf('GET') + 1, 0, 'HEAD');
  }
  return { path, byMethod, allow: [...methods, 'OPTIONS'].join(', ') };
}

function toPattern(path: string): RegExp {
  return new RegExp(`^${path.replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`);
}
