import type { BlockList } from 'node:net';
import type { DataVersion } from '../domain/database/database.ts';
import { createAuthenticate, createFindApiKey } from './access/authenticate.ts';
import { createLimitRate } from './access/rate-limit.ts';
import { createWriteOnce } from './answer/write-once.ts';
import {
  type ConsoleGuard,
  createConsoleGuard,
  type ReportRefusal,
  type SignInCounts,
} from './console/console-guard.ts';
import type { ConsoleOperation } from './console/console-operation.ts';
import { consoleOperations } from './console/console-operations.ts';
import { consolePageEndpoints } from './console/page.ts';
import {
  createAuthenticateSession,
  createSessions,
  type SessionAuthentication,
} from './console/sessions.ts';
import { createSignInLimit } from './console/sign-in-limit.ts';
import { createCheckHealth, healthEndpoints } from './health.ts';
import { documentEndpoints } from './openapi/openapi-endpoints.ts';
import type { Operation } from './operation.ts';
import { docsEndpoints } from './pages/docs.ts';
import { startPageEndpoint } from './pages/start-page.ts';
import { styleEndpoints } from './pages/style.ts';
import { operationResponder } from './pipeline.ts';
import { basePath, consolePath } from './public-urls.ts';
import type { PipelineServices, Responder, SharedServices } from './request-context.ts';
import type { Meter, RequestLog } from './request-log.ts';
import type { Endpoint } from './router.ts';

/** The configuration of the service, and what it uses. */
export interface EndpointOptions extends SharedServices, SessionAuthentication {
  readonly database: SharedServices['database'] & DataVersion;
  readonly operations: readonly Operation[];
  /** Undefined if the console is off. */
  readonly console: { readonly signIns: SignInCounts } | undefined;
  /** Whether the server drains: it still answers, and accepts no more connections. */
  readonly isDraining: () => boolean;
  readonly log: RequestLog;
  /** Proxies whose `X-Forwarded-For` is trusted. */
  readonly trustedProxies: BlockList | undefined;
  /** Returns the meter of one operation, or of all other requests. Undefined if the server has no metrics. */
  readonly meterOf: ((operationId: string | undefined) => Meter) | undefined;
}

/** Answers requests, and counts those for an operation. */
export type Served = Responder & { readonly meter?: Meter | undefined };

/** Every path of the service. */
export function createEndpoints(
  options: EndpointOptions,
  reportFault: PipelineServices['reportFault'],
  reportRefusal: ReportRefusal,
): Endpoint<Served>[] {
  const findApiKey = createFindApiKey(options);
  const checkHealth = createCheckHealth(options);
  const { operations, environment, publicUrls, console, database, steadyNow, meterOf } = options;
  const services: PipelineServices = {
    ...options,
    authenticate: createAuthenticate(findApiKey),
    limitRate: createLimitRate(steadyNow),
    writeOnce: createWriteOnce(database),
    reportFault,
    console: undefined,
  };
  const meters = new Map(operations.map(({ operationId: id }) => [id, meterOf?.(id)]));
  const others: Endpoint<Responder>[] = [
    startPageEndpoint({ environment, hasConsole: console !== undefined, checkHealth }),
    ...styleEndpoints(),
    ...documentEndpoints(operations, environment, publicUrls),
    ...docsEndpoints(publicUrls),
    ...healthEndpoints(checkHealth),
    ...(console === undefined ? [] : consolePageEndpoints()),
  ];
  // Paths are tried in order. Those of API clients come first.
  return [
    ...operationEndpoints(operations, basePath, services, meters),
    ...(console === undefined ? [] : operationsBelowConsole(console)),
    ...others,
  ];

  /** All operations once more, for sessions of the console. */
  function operationsBelowConsole({ signIns }: { readonly signIns: SignInCounts }) {
    const sessions = createSessions(options);
    const limitSignIns = createSignInLimit(steadyNow);
    const forSessions: PipelineServices = {
      ...services,
      authenticate: createAuthenticateSession(sessions),
      console: { ...options, findApiKey, sessions, limitSignIns },
    };
    const all = [...operations, ...consoleOperations];
    const guard = createConsoleGuard({ environment, publicUrls, signIns, reportRefusal });
    return operationEndpoints(all, `${consolePath}${basePath}`, forSessions, meters, guard);
  }
}

function operationEndpoints(
  operations: readonly (Operation | ConsoleOperation)[],
  pathBefore: string,
  services: PipelineServices,
  meters: ReadonlyMap<string, Meter | undefined>,
  guard: ConsoleGuard = (respond) => respond,
): Endpoint<Served>[] {
  return operations.map((operation) => {
    const { method, path, operationId } = operation;
    const respond = guard(operationResponder({ ...services, operation }), operation);
    const value = Object.assign(respond, { meter: meters.get(operationId) });
    return { method, path: `${pathBefore}${path}`, value };
  });
}
