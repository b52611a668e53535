import type { Awaitable } from '../domain/database.ts';
import { type Failure, fail, isFailure } from '../domain/error.ts';
import type { Answer } from './answer.ts';
import { type Caller, realm } from './authenticate.ts';
import { andThen } from './awaitable.ts';
import { deprecationHeaders, refuseRemoved } from './deprecation.ts';
import type { Exchange, OperationExchange, PipelineServices } from './exchange.ts';
import { keptKey } from './kept-answers.ts';
import type { Operation } from './operation.ts';
import { runOperation } from './run-operation.ts';

/** A step answers, or lets the request pass on to the next. */
type Step = (
  exchange: OperationExchange,
  services: PipelineServices,
) => Awaitable<Answer | Failure | undefined>;

/** What every operation goes through, in this order. The path and method were found before. */
const steps: readonly Step[] = [
  announceDeprecation,
  authenticateCaller, // 401
  requireScope, // 403
  limitRate, // 429
  countUse,
  refuseRemoved, // 410
  answerFromKept, // 200 or 304, where the very same was asked before
  runOperation, // 415, 413, 400, then the operation's own
];

/** Until authentication has spoken, a request is nobody's and may do nothing. */
const nobody: Caller = {
  apiKeyId: -1n,
  workspaceId: -1n,
  workspaceName: '',
  scopes: [],
  rateLimit: undefined,
};

/** Answers a request for one operation. */
export function answerOperation(
  operation: Operation,
  exchange: Exchange,
  services: PipelineServices,
): Awaitable<Answer | Failure> {
  const { request, pathParameters, search, baseUrl, now, headers, seen } = exchange;
  // Spelled out, because a spread costs every request as much as a step.
  return takeSteps(
    { request, pathParameters, search, baseUrl, now, headers, seen, operation, caller: nobody },
    services,
    0,
  );
}

/** Takes one step after another, and waits only where a step has to. */
function takeSteps(
  exchange: OperationExchange,
  services: PipelineServices,
  first: number,
): Awaitable<Answer | Failure> {
  for (let index = first; index < steps.length; index += 1) {
    const result = steps[index]?.(exchange, services);
    if (result instanceof Promise) {
      return result.then((late) =>
        late === undefined ? takeSteps(exchange, services, index + 1) : late,
      );
    }
    if (result !== undefined) return result;
  }
  throw new Error(`No step answered ${exchange.operation.operationId}`);
}

function announceDeprecation({ operation, baseUrl, now, headers }: OperationExchange): undefined {
  if (operation.deprecation !== undefined) {
    Object.assign(headers, deprecationHeaders(operation.deprecation, baseUrl, now));
  }
}

function authenticateCaller(
  exchange: OperationExchange,
  { authenticate }: PipelineServices,
): Awaitable<Failure | undefined> {
  return andThen(authenticate(exchange.request.headers.get('authorization')), (caller) => {
    if (isFailure(caller)) return caller;
    exchange.caller = caller;
    exchange.seen.caller = caller;
    return undefined;
  });
}

function requireScope({ operation, caller }: OperationExchange): Failure | undefined {
  if (caller.scopes.includes(operation.scope)) return undefined;
  return fail(
    'insufficient_scope',
    `${operation.operationId} needs a key with the scope ${operation.scope}`,
    { 'www-authenticate': `${realm}, error="insufficient_scope", scope="${operation.scope}"` },
  );
}

function limitRate(
  { caller, headers }: OperationExchange,
  { limitRate }: PipelineServices,
): Failure | undefined {
  return limitRate(caller, headers);
}

function countUse(
  { operation, caller, now }: OperationExchange,
  { uses }: PipelineServices,
): undefined {
  uses.note(caller.apiKeyId, now);
  if (operation.deprecation !== undefined) {
    uses.noteDeprecatedCall(caller.apiKeyId, operation.operationId, now);
  }
}

function answerFromKept(
  { operation, caller, request, search, baseUrl }: OperationExchange,
  { kept }: PipelineServices,
): Awaitable<Answer | undefined> {
  if (operation.keeps === undefined || request.headers.has('prefer')) return undefined;
  const query = kept.knownQuery(operation.operationId, search);
  if (query === undefined) return undefined;
  const { workspaceId } = caller;
  return andThen(
    kept.find(keptKey(operation.operationId, workspaceId, query), workspaceId),
    (representation) => representation?.choose(request.headers, baseUrl),
  );
}
