import { type Awaitable, andThen } from '../domain/values/awaitable.ts';
import { insufficientScope } from './access/authenticate.ts';
import { recheckKey } from './access/request-watch.ts';
import type { Answer } from './answer/answer.ts';
import { answerPoll } from './answer/answer-poll.ts';
import { answerFromCache, answerRead } from './answer/answer-read.ts';
import { answerStream } from './answer/answer-stream.ts';
import { answerWrite } from './answer/answer-write.ts';
import { answerConsole } from './console/answer-console.ts';
import { ownersOnly } from './console/sessions.ts';
import { type Failure, fail, isFailure } from './failure.ts';
import type { OperationDeprecation } from './operation.ts';
import { readInput, type SentInput } from './request/read-input.ts';
import { type JsonText, readJsonBody } from './request/read-json.ts';
import type {
  AuthenticatedContext,
  OperationServices,
  RequestContext,
  Responder,
} from './request-context.ts';

/** Answers the requests for one operation. */
export function operationResponder(services: OperationServices): Responder {
  const { access, stability, deprecation } = services.operation;
  const describeDeprecation = deprecation && createDeprecationHeaders(deprecation);
  return (context) => {
    const { headers, baseUrl, now, request } = context;
    if (describeDeprecation !== undefined)
      Object.assign(headers, describeDeprecation(baseUrl, now));
    if (stability !== undefined) headers['x-stability'] = stability;
    if (access === 'none') return runOperation(context, services);
    return andThen(services.authenticate(request), (caller) => {
      if (isFailure(caller)) return caller; // 401
      context.caller = caller;
      return takeSteps(context as AuthenticatedContext, services);
    });
  };
}

/** The steps of every operation after authentication, in order. A step returns an answer, or undefined to continue. */
function takeSteps(
  context: AuthenticatedContext,
  services: OperationServices,
): Awaitable<Answer | Failure> {
  const refusal =
    requireAccess(context, services) ?? // 403
    limitRate(context, services) ?? // 429
    countUse(context, services) ??
    refuseRemoved(context, services); // 410
  if (refusal !== undefined) return refusal;
  return andThen(
    answerFromCache(context, services), // 200 or 304
    (cached) => cached ?? runOperation(context, services), // 415, 413, 400, then the operation's own
  );
}

/**
 * The headers of a deprecated operation: since when it is deprecated (RFC 9745), when it is removed (RFC 8594, an HTTP-date),
 * and its successor. After its removal it is no longer deprecated.
 */
function createDeprecationHeaders({
  deprecatedAt,
  removedAt,
  successorPath,
}: OperationDeprecation): (baseUrl: string, now: number) => Record<string, string> {
  const sunset = new Date(removedAt).toUTCString();
  const deprecation = `@${Math.floor(deprecatedAt / 1000)}`;
  return (baseUrl, now) => {
    const link = `<${baseUrl}${successorPath}>; rel="successor-version"`;
    return now >= removedAt ? { sunset, link } : { deprecation, sunset, link };
  };
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
  const { method, path, deprecation } = operation;
  if (deprecation === undefined || now < deprecation.removedAt) return undefined;
  const date = new Date(deprecation.removedAt).toISOString().slice(0, 10);
  const message = `${method} ${path} was removed on ${date}; use ${deprecation.successor}`;
  return fail('operation_removed', message);
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
  const { workspaceId, scopes } = context.caller;
  const input = { ...sent, workspaceId, scopes, now: context.now };
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
