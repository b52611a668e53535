import { type Awaitable, andThen } from '../domain/values/awaitable.ts';
import { insufficientScope } from './access/authenticate.ts';
import { type Answer, type Failure, isFailure } from './answer/answer.ts';
import { refuseRemoved } from './answer/deprecation.ts';
import { cacheKey } from './answer/response-cache.ts';
import { ownersOnly } from './console/find-session.ts';
import type { AuthenticatedContext, OperationServices, RequestContext } from './request-context.ts';
import { runOperation } from './run-operation.ts';

/** A step answers, or lets the request pass on to the next. */
type Step = (
  context: AuthenticatedContext,
  services: OperationServices,
) => Awaitable<Answer | Failure | undefined>;

/** What every operation goes through after authentication, in this order. The path and method were found before. */
const steps: readonly Step[] = [
  requireAccess, // 403
  limitRate, // 429
  countUse,
  refuseRemoved, // 410
  answerFromCache, // 200 or 304, where the very same was asked before
  runOperation, // 415, 413, 400, then the operation's own
];

/** Answers a request for one operation: 401, or what the first step says that has something to say. */
export function answerOperation(
  context: RequestContext,
  services: OperationServices,
): Awaitable<Answer | Failure> {
  announce(context, services);
  if (services.operation.access === 'none') return runOperation(context, services);
  return andThen(services.authenticate(context.request), (caller) => {
    if (isFailure(caller)) return caller;
    context.caller = caller;
    return takeSteps(context as AuthenticatedContext, services, 0);
  });
}

/** Takes one step after another, and waits only where a step has to. */
function takeSteps(
  context: AuthenticatedContext,
  services: OperationServices,
  first: number,
): Awaitable<Answer | Failure> {
  for (let index = first; index < steps.length; index += 1) {
    const result = steps[index]?.(context, services);
    if (result instanceof Promise) {
      return result.then((late) =>
        late === undefined ? takeSteps(context, services, index + 1) : late,
      );
    }
    if (result !== undefined) return result;
  }
  throw new Error(`No step answered ${services.operation.operationId}`);
}

/** Every answer of the operation says that it goes away, or may change. */
function announce(
  { baseUrl, now, headers }: RequestContext,
  { operation: { stability }, deprecationHeaders }: OperationServices,
): void {
  if (deprecationHeaders !== undefined) Object.assign(headers, deprecationHeaders(baseUrl, now));
  if (stability !== undefined) headers['x-stability'] = stability;
}

function requireAccess(
  { caller }: AuthenticatedContext,
  { operation }: OperationServices,
): Failure | undefined {
  if (operation.access === 'owner') return caller.apiKeyId === undefined ? undefined : ownersOnly;
  if (operation.access !== 'api_key' || caller.scopes.includes(operation.scope)) return undefined;
  const { operationId, scope } = operation;
  return insufficientScope(`${operationId} needs a key with the scope ${scope}`, scope);
}

/** The page of the console needs its own operations to show that a limit is reached. */
function limitRate(
  { caller, headers }: AuthenticatedContext,
  { limitRate, operation }: OperationServices,
): Failure | undefined {
  return operation.audience === 'console' ? undefined : limitRate(caller, headers);
}

function countUse(
  { caller, now }: AuthenticatedContext,
  { uses, operation }: OperationServices,
): undefined {
  if (operation.audience === 'console') return;
  uses.note(caller, now);
  if (operation.deprecation !== undefined) {
    uses.noteDeprecatedCall(caller, operation.operationId, now);
  }
}

function answerFromCache(
  { caller, request, target, baseUrl }: AuthenticatedContext,
  { operation, responseCache }: OperationServices,
): Awaitable<Answer | undefined> {
  const { kind, operationId } = operation;
  if (kind !== 'read' || operation.isCacheable === undefined || request.headers.has('prefer')) {
    return undefined;
  }
  const query = responseCache.knownQuery(operationId, target.search);
  if (query === undefined) return undefined;
  const { workspaceId, workspaceIdText } = caller;
  return andThen(
    responseCache.find(cacheKey(operationId, workspaceIdText, query), workspaceId),
    (representation) => representation?.choose(request.headers, baseUrl),
  );
}
