import { type Awaitable, andThen } from '../domain/values/awaitable.ts';
import { insufficientScope } from './access/authenticate.ts';
import { recheckKey } from './access/request-watch.ts';
import { type Answer, type Failure, isFailure } from './answer/answer.ts';
import { answerPoll } from './answer/answer-poll.ts';
import { answerFromCache, answerRead } from './answer/answer-read.ts';
import { answerStream } from './answer/answer-stream.ts';
import { answerWrite } from './answer/answer-write.ts';
import { operationRemoved } from './answer/deprecation.ts';
import { answerConsole } from './console/answer-console.ts';
import { ownersOnly } from './console/find-session.ts';
import { readInput, type SentInput } from './request/read-input.ts';
import { type JsonText, readJsonBody } from './request/read-json.ts';
import type {
  AuthenticatedContext,
  OperationServices,
  RequestContext,
  Responder,
} from './request-context.ts';

/** A step returns an answer, or undefined to continue with the next step. */
type Step = (
  context: AuthenticatedContext,
  services: OperationServices,
) => Awaitable<Answer | Failure | undefined>;

/** The steps of every operation after authentication, in order. */
const steps: readonly Step[] = [
  requireAccess, // 403
  limitRate, // 429
  countUse,
  refuseRemoved, // 410
  answerFromCache, // 200 or 304
  runOperation, // 415, 413, 400, then the operation's own
];

/** Answers the requests for one operation: 401, or the first answer of a step. */
export function operationResponder(services: OperationServices): Responder {
  return (context) => {
    announce(context, services);
    if (services.operation.access === 'none') return runOperation(context, services);
    return andThen(services.authenticate(context.request), (caller) => {
      if (isFailure(caller)) return caller;
      context.caller = caller;
      return takeSteps(context as AuthenticatedContext, services, 0);
    });
  };
}

/** Takes one step after the other, and awaits only a step that is asynchronous. */
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

/** Every response says if the operation is deprecated, or may change. */
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

function limitRate(
  { caller, headers }: AuthenticatedContext,
  { rateLimit, limitRate, operation }: OperationServices,
): Failure | undefined {
  const limit = caller.rateLimit ?? rateLimit;
  // The console uses its own operations to show that a limit is reached.
  if (limit === undefined || operation.audience === 'console') return undefined;
  return limitRate(caller, limit, headers);
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

function refuseRemoved(
  { now }: AuthenticatedContext,
  { operation }: OperationServices,
): Failure | undefined {
  const { deprecation } = operation;
  if (deprecation === undefined || now < deprecation.removedAt) return undefined;
  return operationRemoved(operation, deprecation);
}

function runOperation(
  context: RequestContext,
  services: OperationServices,
): Awaitable<Answer | Failure> {
  const { operation, bodySecondsMax } = services;
  if (operation.requestBody === undefined) return runWithBody(context, services, undefined);
  const bytesMax = operation.kind === 'console' ? operation.bodyBytesMax : undefined;
  return readJsonBody(context.request, bodySecondsMax, bytesMax).then((json) =>
    isFailure(json)
      ? json
      : andThen(
          recheckLateKey(context, services),
          (failure) => failure ?? runWithBody(context, services, json),
        ),
  );
}

/** Far below the second after which a revoked key must be rejected. */
const lateMilliseconds = 100;

/** A body may arrive seconds after its head. The key must still be valid then. */
function recheckLateKey(
  context: RequestContext,
  services: OperationServices,
): Awaitable<Failure | undefined> {
  const milliseconds = services.now() - context.now;
  // It is below 0 if the clock was set back. An operation of the console checks its session itself.
  const isLate = milliseconds < 0 || milliseconds >= lateMilliseconds;
  return isLate && services.operation.audience === 'clients'
    ? recheckKey(context, services)
    : undefined;
}

function runWithBody(
  context: RequestContext,
  services: OperationServices,
  json: JsonText | undefined,
): Awaitable<Answer | Failure> {
  const checked = readInput(context, services, json);
  if (isFailure(checked)) return checked;
  const answer = answerKind(context, services, checked, json);
  if (!checked.strict) return answer;
  return andThen(answer, (found) => {
    if (!isFailure(found)) context.headers['preference-applied'] = 'handling=strict';
    return found;
  });
}

function answerKind(
  context: RequestContext,
  services: OperationServices,
  sent: SentInput,
  json: JsonText | undefined,
): Awaitable<Answer | Failure> {
  const { operation, console } = services;
  if (operation.kind === 'console') {
    if (console === undefined) throw new Error(`${operation.operationId} has no console`);
    return answerConsole(context, console, operation, sent);
  }
  if (!isAuthenticated(context)) throw new Error(`${operation.operationId} has no caller`);
  const { baseUrl, now, caller } = context;
  const { path, query, body } = sent;
  const { workspaceId, scopes } = caller;
  const input = { path, query, body, workspaceId, scopes, baseUrl, now };
  switch (operation.kind) {
    case 'read':
      return answerRead(context, services, operation, input);
    case 'write':
      return answerWrite(context, services, operation, input, json?.bytes);
    case 'poll':
      return answerPoll(context, services, operation, input);
    case 'stream':
      return answerStream(context, services, operation, input);
  }
}

function isAuthenticated(context: RequestContext): context is AuthenticatedContext {
  return context.caller !== undefined;
}
