import type { Environment } from '../domain/api-key.ts';
import type { Awaitable } from '../domain/database.ts';
import { DatabaseUnavailable } from '../domain/database.ts';
import { echo, type Failure, fail, isFailure } from '../domain/error.ts';
import type { Answer } from './answer.ts';
import type { ApiKeyUses } from './api-key-uses.ts';
import type { Authentication } from './authenticate.ts';
import { type CorsOrigins, createCors } from './cors.ts';
import { docsEndpoints } from './docs.ts';
import { errorAnswer } from './error-response.ts';
import { healthEndpoints } from './health.ts';
import { documentEndpoints } from './openapi-endpoints.ts';
import { basePath, operations } from './operations.ts';
import { answerOperation, type Exchange } from './pipeline.ts';
import { createRouter, type Endpoint } from './router.ts';

/** The public addresses that are known, each ending in `/v1`. */
export type PublicUrls = Readonly<Partial<Record<Environment, string>>>;

export interface RequestLog {
  answered(entry: {
    requestId: string;
    method: string;
    path: string;
    httpStatus: number;
    milliseconds: number;
  }): void;
  failed(entry: { requestId: string; method: string; path: string; error: unknown }): void;
}

export interface AppOptions extends Authentication {
  readonly uses: ApiKeyUses;
  readonly publicUrls: PublicUrls;
  readonly corsOrigins: CorsOrigins;
  readonly newRequestId: () => string;
  readonly isDraining: () => boolean;
  readonly log: RequestLog;
}

/** Answers with a page, a document or an operation. */
export type Responder = (exchange: Exchange) => Awaitable<Answer | Failure>;

/** The whole service as a function, without a socket. It never throws. */
export type App = (request: Request) => Promise<Response>;

export function createApp(options: AppOptions): App {
  const { environment, publicUrls, newRequestId, log, now } = options;
  const ownUrl = publicUrls[environment];
  const cors = createCors(options.corsOrigins);
  const match = createRouter<Responder>([
    ...operationEndpoints(options),
    ...documentEndpoints(environment, publicUrls),
    ...docsEndpoints(publicUrls),
    ...healthEndpoints(options),
  ]);

  async function answer(request: Request, target: Target): Promise<Answer | Failure> {
    if (!target.hostIsValid) {
      return fail('invalid_header', 'Host must be sent once, as a host name with an optional port');
    }
    const found = match(target.path);
    if (found === undefined) {
      return fail('route_not_found', `There is nothing at the path ${echo(target.path)}`);
    }
    const { route, parameters } = found;
    if (request.method === 'OPTIONS') {
      const headers = { allow: route.allow, ...cors.preflightHeaders(route.allow) };
      return { httpStatus: 204, headers, body: null };
    }
    const respond = route.endpoints.get(request.method);
    if (respond === undefined) {
      return fail(
        'method_not_allowed',
        `${echo(request.method)} is not a method of this path; it has ${route.allow}`,
        { allow: route.allow },
      );
    }
    const { search, origin } = target;
    const baseUrl = ownUrl ?? `${origin}${basePath}`;
    return respond({ request, pathParameters: parameters, search, baseUrl, now: now() });
  }

  return async (request) => {
    const startedAt = performance.now();
    const requestId = readRequestId(request.headers) ?? newRequestId();
    const target = readTarget(request);
    const { path } = target;
    const { method } = request;

    let result: Answer | Failure;
    try {
      result = await answer(request, target);
    } catch (error) {
      log.failed({ requestId, method, path, error });
      result = error instanceof DatabaseUnavailable ? unavailable : internalError;
    }
    const { httpStatus, headers, body } = isFailure(result) ? errorAnswer(result) : result;
    log.answered({
      requestId,
      method,
      path,
      httpStatus,
      milliseconds: performance.now() - startedAt,
    });
    return new Response(body, {
      status: httpStatus,
      headers: {
        ...cors.headers(request.headers.get('origin')),
        'x-content-type-options': 'nosniff',
        'x-request-id': requestId,
        ...headers,
      },
    });
  };
}

const internalError = fail(
  'internal_error',
  'The service failed; quote the X-Request-Id of this answer when you report it',
);

const unavailable = fail('unavailable', 'Storage is not available now; try again soon', {
  'retry-after': '1',
});

function operationEndpoints(options: AppOptions): Endpoint<Responder>[] {
  const services = { authentication: options, uses: options.uses };
  return operations.map((operation) => ({
    method: operation.method,
    path: `${basePath}${operation.path}`,
    value: (exchange) => answerOperation(operation, exchange, services),
  }));
}

function readRequestId(headers: Headers): string | undefined {
  const sent = headers.get('x-request-id');
  return sent !== null && /^[A-Za-z0-9/+_=.-]{1,128}$/.test(sent) ? sent : undefined;
}

interface Target {
  /** Scheme and authority; empty where the request named no host, as HTTP/1.0 allows. */
  readonly origin: string;
  readonly path: string;
  readonly search: string;
  readonly hostIsValid: boolean;
}

const host = /^(?:\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._~-]+)(?::([0-9]{1,5}))?$/;

/**
 * Takes the URL apart by hand: with a malformed `Host` the server gives only a path, on which `new URL`
 * would throw. Two `Host` headers arrive joined by a comma, which the form refuses (RFC 9112, section 3.2).
 */
function readTarget({ url, headers }: Request): Target {
  const pathStart = url.startsWith('/') ? 0 : url.indexOf('/', url.indexOf('://') + 3);
  const [target = ''] = url.slice(pathStart).split('#', 1);
  const mark = target.indexOf('?');
  const sent = headers.get('host');
  const match = host.exec(sent ?? 'none');
  return {
    origin: url.slice(0, pathStart),
    path: mark === -1 ? target : target.slice(0, mark),
    search: mark === -1 ? '' : target.slice(mark + 1),
    hostIsValid: match !== null && Number(match[1] ?? 0) <= 65535,
  };
}
