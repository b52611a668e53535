import type { StandbyReads } from '../domain/database/database.ts';
import { type Awaitable, andThen } from '../domain/values/awaitable.ts';
import { insufficientScope } from './access/authenticate.ts';
import type { Caller } from './access/caller.ts';
import { recheckKey } from './access/request-watch.ts';
import { type Answer, notePreference } from './answer/answer.ts';
import { answerAction } from './answer/answer-action.ts';
import { answerPoll } from './answer/answer-poll.ts';
import { answerFromCache, answerRead } from './answer/answer-read.ts';
import { answerStream } from './answer/answer-stream.ts';
import { answerWrite } from './answer/answer-write.ts';
import { type Failure, fail, isFailure } from './failure.ts';
import type { Operation, OperationDeprecation } from './operation.ts';
import { readInput, type SentInput } from './request/read-input.ts';
import type { JsonText } from './request/read-json.ts';
import {
  type AuthenticatedContext,
  beginCall,
  type RequestContext,
  type Responder,
} from './request-context.ts';
import type { PipelineServices } from './services.ts';

/** Answers the requests for one operation. */
export function operationResponder(operation: Operation, services: PipelineServices): Responder {
  const { stability, deprecation } = operation;
  const { standbyReads } = services.database;
  const describeDeprecation = deprecation && createDeprecationHeaders(deprecation);
  const respond: Responder = (context) => {
    const { headers, baseUrl, now } = context;
    if (describeDeprecation !== undefined)
      Object.assign(headers, describeDeprecation(baseUrl, now));
    if (stability !== undefined) headers['x-stability'] = stability;
    return andThen(services.authenticate(context), (caller) => {
      if (isFailure(caller)) return caller; // 401
      setCaller(context, caller);
      return takeSteps(context, services, operation);
    });
  };
  return standbyReads === undefined || !readingKinds.has(operation.kind)
    ? respond
    : markStandby(respond, standbyReads);
}

const readingKinds: ReadonlySet<Operation['kind']> = new Set(['read', 'poll', 'stream']);

/** Marks answers for which something can have been read from a standby. A cached one was compared with it a moment ago. */
function markStandby(respond: Responder, { isInUse, count }: StandbyReads): Responder {
  return (context) => {
    const before = count();
    return andThen(respond(context), (answer) => {
      if (isInUse() || count() !== before) context.headers['x-read-from'] = 'standby';
      return answer;
    });
  };
}

function setCaller(
  context: RequestContext,
  caller: Caller,
): asserts context is AuthenticatedContext {
  context.caller = caller;
}

/** The steps of every operation after authentication, in order. A step returns an answer, or undefined to continue. */
function takeSteps(
  context: AuthenticatedContext,
  services: PipelineServices,
  operation: Operation,
): Awaitable<Answer | Failure> {
  const refusal =
    requireScope(context, operation) ?? // 403
    services.limitRate(context) ?? // 429
    countUse(context, services, operation) ??
    refuseRemoved(context, operation); // 410
  if (refusal !== undefined) return refusal;
  if (operation.kind !== 'read' || operation.isCacheable === undefined) {
    return runOperation(context, services, operation); // 415, 413, 400, then the operation's own
  }
  return andThen(
    answerFromCache(context, services, operation), // 200 or 304
    (cached) => cached ?? runOperation(context, services, operation),
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

function requireScope(
  { caller }: AuthenticatedContext,
  { operationId, scope }: Operation,
): Failure | undefined {
  if (scope === undefined || caller.scopes.includes(scope)) return undefined;
  return insufficientScope(`${operationId} needs a key with the scope ${scope}`, scope);
}

function countUse(
  { caller, now }: AuthenticatedContext,
  { uses }: PipelineServices,
  { deprecation, operationId }: Operation,
): undefined {
  uses.note(caller, now);
  if (deprecation !== undefined) uses.noteDeprecatedCall(caller, operationId, now);
}

function refuseRemoved(
  { now }: AuthenticatedContext,
  { method, path, deprecation }: Operation,
): Failure | undefined {
  if (deprecation === undefined || now < deprecation.removedAt) return undefined;
  const date = new Date(deprecation.removedAt).toISOString().slice(0, 10);
  const message = `${method} ${path} was removed on ${date}; use ${deprecation.successor}`;
  return fail('operation_removed', message);
}

function runOperation(
  context: AuthenticatedContext,
  services: PipelineServices,
  operation: Operation,
): Awaitable<Answer | Failure> {
  if (operation.requestBody === undefined) {
    beginOperation(context, services, operation);
    return runWithBody(context, services, operation);
  }
  return andThen(services.readJson(context.request), (json) => {
    if (isFailure(json)) return json;
    beginOperation(context, services, operation);
    return andThen(
      recheckLateKey(context, services),
      (failure) => failure ?? runWithBody(context, services, operation, json),
    );
  });
}

/** A read of SQLite waits for nothing, so nothing ends it. A search begins a call itself. */
function beginOperation(
  context: AuthenticatedContext,
  { database, reportRepeated }: PipelineServices,
  { kind }: Operation,
): void {
  if (kind !== 'read' || database.readsWait) beginCall(context, reportRepeated);
}

/** Far below the second after which a revoked key must be rejected. */
const lateMilliseconds = 100;

/** A body may arrive seconds after its head. The key must still be valid then. */
function recheckLateKey(
  context: AuthenticatedContext,
  services: PipelineServices,
): Awaitable<Failure | undefined> {
  const milliseconds = services.now() - context.now;
  // It is below 0 if the clock was set back.
  const isLate = milliseconds < 0 || milliseconds >= lateMilliseconds;
  return isLate ? recheckKey(context, services) : undefined;
}

function runWithBody(
  context: AuthenticatedContext,
  services: PipelineServices,
  operation: Operation,
  json?: JsonText,
): Awaitable<Answer | Failure> {
  const sent = readInput(context, services.hideApiKeys, operation, json);
  if (isFailure(sent)) return sent;
  return notePreference(context, sent, answerKind(context, services, operation, sent, json));
}

function answerKind(
  context: AuthenticatedContext,
  services: PipelineServices,
  operation: Operation,
  sent: SentInput,
  json: JsonText | undefined,
): Awaitable<Answer | Failure> {
  const { workspaceId, scopes } = context.caller;
  const input = { ...sent, workspaceId, scopes, now: context.now };
  switch (operation.kind) {
    case 'read':
      return answerRead(context, services, operation, input);
    case 'write':
      return answerWrite(context, services, operation, input, json?.bytes);
    case 'action':
      return answerAction(context, services, operation, input);
    case 'poll':
      return answerPoll(context, services, operation, input);
    case 'stream':
      return answerStream(context, services, operation, input);
  }
}
