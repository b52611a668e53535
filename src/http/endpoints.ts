import { createAuthenticate, createFindApiKey } from './access/authenticate.ts';
import {
  createMinuteLimit,
  createRateLimits,
  createSearchTurns,
  createSlots,
} from './access/limits.ts';
import { createConsoleGuard } from './console/console-guard.ts';
import type { ConsoleServices } from './console/console-operation.ts';
import { consoleOperations } from './console/console-operations.ts';
import { consolePageEndpoints } from './console/console-page.ts';
import { consoleResponder } from './console/console-responder.ts';
import { createAuthenticateSession, createSessions } from './console/find-session.ts';
import { signIn } from './console/operations/sign-in.ts';
import { createPetPositions } from './console/pet-positions.ts';
import { reportSignIns } from './console/report-sign-in.ts';
import { createCheckHealth, healthEndpoints } from './health.ts';
import { documentEndpoints } from './openapi/openapi-endpoints.ts';
import type { Operation, OperationBase } from './operation.ts';
import { docsEndpoints } from './pages/docs.ts';
import { startPageEndpoint } from './pages/start-page.ts';
import { styleEndpoints } from './pages/style.ts';
import { operationResponder } from './pipeline.ts';
import { basePath, consolePath } from './public-urls.ts';
import { createWriteOnce } from './request/idempotency.ts';
import { createReadJson } from './request/read-json.ts';
import type { Endpoint, Responder } from './request-context.ts';
import type { AppOptions, PipelineServices, ReportRefusal, SignInCounts } from './services.ts';

const hasScope = ({ scope }: Operation) => scope !== undefined;

interface Reports extends Pick<PipelineServices, 'reportFault' | 'reportRead' | 'reportRepeated'> {
  readonly reportRefusal: ReportRefusal;
}

/** Every path of the service. */
export function createEndpoints(
  options: AppOptions,
  { reportRefusal, ...reports }: Reports,
): Endpoint[] {
  const findApiKey = createFindApiKey(options);
  const checkHealth = createCheckHealth(options);
  const { operations, environment, publicUrls, console, database, steadyNow, meterOf } = options;
  const readJson = createReadJson(options.bodySecondsMax);
  const services: PipelineServices = {
    ...options,
    authenticate: createAuthenticate(findApiKey),
    ...createRateLimits(steadyNow, options.rateLimit),
    readJson,
    writeOnce: createWriteOnce(database),
    searchInTurn: createSearchTurns(),
    testSlots: createSlots(),
    limitAudited: createMinuteLimit(steadyNow, 'This caller may change webhooks'),
    ...reports,
  };
  const meters = new Map(operations.map(({ operationId: id }) => [id, meterOf?.(id)]));
  // Paths are tried in order. Those of API clients come first.
  return [
    ...operations.map((each) => toEndpoint(basePath, each, operationResponder(each, services))),
    ...(console === undefined ? [] : operationsBelowConsole(console)),
    startPageEndpoint({ environment, hasConsole: console !== undefined, checkHealth }),
    ...styleEndpoints(),
    ...documentEndpoints(operations, environment, publicUrls),
    ...docsEndpoints(publicUrls),
    ...healthEndpoints(checkHealth),
    ...(console === undefined ? [] : consolePageEndpoints()),
  ];

  function toEndpoint(pathBefore: string, operation: OperationBase, respond: Responder): Endpoint {
    const { method, path, operationId } = operation;
    return { method, path: `${pathBefore}${path}`, respond, meter: meters.get(operationId) };
  }

  /** All operations once more, for sessions of the console, and those that only the console calls. */
  function operationsBelowConsole({ signIns }: { readonly signIns: SignInCounts }): Endpoint[] {
    const sessions = createSessions(options);
    // Only sign-ins with a valid key count, so that no attempt with another one affects them.
    const limitSignIns = createMinuteLimit(steadyNow, 'This key may sign in');
    const consoleServices: ConsoleServices = {
      ...services,
      ...{ environment, dataTag: options.dataTag, trustedProxies: options.trustedProxies },
      ...{ findApiKey, limitSignIns, sessions },
      petPositions: createPetPositions(options),
    };
    const forSessions = { ...services, authenticate: createAuthenticateSession(sessions) };
    const guard = createConsoleGuard(options, reportRefusal);
    const pathBefore = `${consolePath}${basePath}`;
    return [
      ...operations.filter(hasScope).map((operation) => {
        const respond = operationResponder(operation, forSessions);
        return toEndpoint(pathBefore, operation, guard(respond, operation));
      }),
      ...consoleOperations.map((operation) => {
        const respond = consoleResponder(operation, consoleServices);
        const reported =
          operation === signIn
            ? reportSignIns(respond, signIns, reportRefusal, publicUrls[environment])
            : respond;
        return toEndpoint(pathBefore, operation, guard(reported, operation));
      }),
    ];
  }
}
