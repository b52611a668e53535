import type { BlockList } from 'node:net';
import type { RateLimit } from '../domain/access/rate-limit.ts';
import type { CommandWriter } from '../domain/database/commands.ts';
import type { DataVersion } from '../domain/database/database.ts';
import type { Reads } from '../domain/database/registry.ts';
import type { HideApiKeys } from '../domain/echo.ts';
import type { ApiKeyUses } from './access/api-key-uses.ts';
import { createAuthenticate, createFindApiKey } from './access/authenticate.ts';
import { createRateLimiter } from './access/rate-limit.ts';
import { createDeprecationHeaders } from './answer/deprecation.ts';
import type { ResponseCache } from './answer/response-cache.ts';
import { type ConsoleGuard, consoleEndpoints, consoleOperation } from './console/endpoints.ts';
import { createSessions, type SessionAuthentication } from './console/find-session.ts';
import type { SignInCounts } from './console/operations/sign-in.ts';
import type { ReportRefusal } from './console/same-origin.ts';
import { createSignInLimit } from './console/sign-in-limit.ts';
import type { Feed } from './feed/feed.ts';
import { createCheckHealth, healthEndpoints } from './health.ts';
import { documentEndpoints } from './openapi/openapi-endpoints.ts';
import type { Operation } from './operation.ts';
import { docsEndpoints } from './pages/docs.ts';
import { startPageEndpoint } from './pages/start-page.ts';
import { styleEndpoints } from './pages/style.ts';
import { operationResponder } from './pipeline.ts';
import { basePath, consolePath } from './public-urls.ts';
import { createWriteOnce } from './request/idempotency.ts';
import type { OperationServices, PipelineServices, Responder } from './request-context.ts';
import type { Meter, RequestLog } from './request-log.ts';
import type { Endpoint } from './router.ts';

/** What the service works with at its paths. */
export interface EndpointOptions extends SessionAuthentication {
  readonly database: Reads & CommandWriter & DataVersion;
  readonly operations: readonly Operation[];
  readonly uses: ApiKeyUses;
  /** Undefined where there is none. */
  readonly console: { readonly signIns: SignInCounts } | undefined;
  /** Of every key that has none of its own; undefined for none. */
  readonly rateLimit: RateLimit | undefined;
  readonly responseCache: ResponseCache;
  readonly feed: Feed;
  /** How long a body may take to arrive. */
  readonly bodySecondsMax: number;
  /** Milliseconds of a clock that is never set. */
  readonly steadyNow: () => number;
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
export interface Served {
  readonly respond: Responder;
  readonly meter: Meter | undefined;
}

/** Every path of the service. */
export function createEndpoints(
  options: EndpointOptions,
  otherMeter: Meter | undefined,
  reportFault: PipelineServices['reportFault'],
  reportRefusal: ReportRefusal,
): Endpoint<Served>[] {
  const findApiKey = createFindApiKey(options);
  const sessions = createSessions(options);
  const checkHealth = createCheckHealth(options);
  const { operations, environment, publicUrls, console } = options;
  const { database, steadyNow } = options;
  const services: PipelineServices = {
    database,
    uses: options.uses,
    hideApiKeys: options.hideApiKeys,
    authenticate: createAuthenticate(findApiKey),
    now: options.now,
    rateLimit: options.rateLimit,
    limitRate: createRateLimiter(steadyNow),
    responseCache: options.responseCache,
    bodySecondsMax: options.bodySecondsMax,
    writeOnce: createWriteOnce(database),
    feed: options.feed,
    steadyNow,
    stopping: options.stopping,
    reportFault,
  };
  const checks = console && { ...console, environment, publicUrls, sessions, reportRefusal };
  const others: Endpoint<Responder>[] = [
    startPageEndpoint({ environment, hasConsole: console !== undefined, checkHealth }),
    ...styleEndpoints(),
    ...documentEndpoints(operations, environment, publicUrls),
    ...docsEndpoints(publicUrls),
    ...healthEndpoints(checkHealth),
    ...(checks === undefined
      ? []
      : consoleEndpoints(
          services,
          { ...options, findApiKey, sessions, limitSignIns: createSignInLimit(steadyNow) },
          checks,
        )),
  ];
  return [
    ...operationEndpoints(options, services, checks),
    ...others.map(({ value: respond, ...at }) => ({
      ...at,
      value: { respond, meter: otherMeter },
    })),
  ];
}

/** Each operation, and where there are sessions of the console, once more for these. */
function operationEndpoints(
  { operations, meterOf }: EndpointOptions,
  services: PipelineServices,
  console: ConsoleGuard | undefined,
): Endpoint<Served>[] {
  const declared = operations.map((operation) => {
    const { deprecation, method, path, operationId } = operation;
    const deprecationHeaders = deprecation && createDeprecationHeaders(deprecation);
    const ownServices: OperationServices = { ...services, operation, deprecationHeaders };
    return { method, path, ownServices, meter: meterOf?.(operationId) };
  });
  const atBase = declared.map(({ method, path, ownServices, meter }) => ({
    method,
    path: `${basePath}${path}`,
    value: { respond: operationResponder(ownServices), meter },
  }));
  if (console === undefined) return atBase;
  // Paths are tried in order: those of programs come first.
  const inConsole = declared.map(({ method, path, ownServices, meter }) => ({
    method,
    path: `${consolePath}${basePath}${path}`,
    value: { respond: consoleOperation(ownServices, console), meter },
  }));
  return [...atBase, ...inConsole];
}
