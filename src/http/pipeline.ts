import { type Awaitable, andThen } from '../domain/values/awaitable.ts';
import type { StandbyReads } from '../storage/contract/database.ts';
import { insufficientScope } from './access/authenticate.ts';
import type { Caller } from './access/caller.ts';
import { recheckKey } from './access/request-watch.ts';
import type { Answer } from './answer/answer.ts';
import { answerFromCache, answerRead } from './answer/answer-read.ts';
import { answerStream } from './answer/answer-stream.ts';
import { answerAction, answerWrite } from './answer/answer-write.ts';
import { type Failure, fail, isFailure } from './failure.ts';
import type { Operation, OperationBase, OperationDeprecation } from './operation.ts';
import { readInput, type SentInput } from './request/read-input.ts';
import type { BodyLimits, JsonText } from './request/read-json.ts';
import {
  type AuthenticatedContext,
  beginCall,
  type RequestContext,
  type Responder,
} from './request-context.ts';
import type { OperationRequest, PipelineServices } from './services.ts';

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
      return takeSteps({ context, services, operation });
    });
  };
  return standbyReads === undefined || !readingKinds.has(operation.kind)
    ? respond
    : markStandby(respond, standbyReads);
}

const readingKinds: ReadonlySet<Operation['kind']> = new Set(['read', 'stream']);

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

function setCaller(
  context: RequestContext,
  caller: Caller,
): asserts context is AuthenticatedContext {
  context.caller = caller;
}

/** The steps of every operation after authentication, in order. */
function takeSteps(request: OperationRequest): Awaitable<Answer | Failure> {
  const { context, services, operation } = request;
  const { caller, now } = context;
  const { operationId, scope, deprecation } = operation;
  if (scope !== undefined && !caller.scopes.includes(scope)) {
    return insufficientScope(`${operationId} needs a key with the scope ${scope}`, scope); // 403
  }
  const refusal = services.limitRate(context); // 429
  if (refusal !== undefined) return refusal;
  services.uses.note(caller, now);
  if (deprecation !== undefined) {
    services.uses.noteDeprecatedCall(caller, operationId, now);
    if (now >= deprecation.removedAt) return refuseRemoved(operation, deprecation); // 410
  }
  if (operation.kind !== 'read' || operation.isCacheable === undefined) {
    return answerInput(request, operationSteps);
  }
  return andThen(
    answerFromCache(request), // 200 or 304
    (cached) => cached ?? answerInput(request, operationSteps),
  );
}

function refuseRemoved(
  { method, path }: Operation,
  { removedAt, successor }: OperationDeprecation,
): Failure {
  const date = new Date(removedAt).toISOString().slice(0, 10);
  return fail('operation_removed', `${method} ${path} was removed on ${date}; use ${successor}`);
}

/** The steps around the input of a request, which is in `Ready` with what else they need. */
export interface InputSteps<Ready> {
  /** Begins the time of the request, after its body has arrived. */
  begin(request: Ready): void;
  /** Returns why the caller is no longer valid. A body may arrive seconds after its head. */
  recheck(request: Ready): Awaitable<Failure | undefined>;
  answer(request: Ready, sent: SentInput, json: JsonText | undefined): Awaitable<Answer | Failure>;
}

interface InputRequest {
  readonly context: RequestContext;
  readonly services: Pick<PipelineServices, 'readJson' | 'hideApiKeys'>;
  readonly operation: OperationBase & { readonly bodyLimits?: Partial<BodyLimits> };
}

/** Reads the body of a request and checks its input, and answers it then. */
export function answerInput<Ready extends InputRequest>(
  request: Ready,
  steps: InputSteps<Ready>,
): Awaitable<Answer | Failure> {
  const { context, services, operation } = request;
  if (operation.requestBody === undefined) {
    steps.begin(request);
    return checkInput(request, steps, undefined);
  }
  return andThen(services.readJson(context.request, operation.bodyLimits), (json) => {
    if (isFailure(json)) return json;
    steps.begin(request);
    return andThen(
      steps.recheck(request),
      (failure) => failure ?? checkInput(request, steps, json),
    );
  });
}

function checkInput<Ready extends InputRequest>(
  request: Ready,
  steps: InputSteps<Ready>,
  json: JsonText | undefined,
): Awaitable<Answer | Failure> {
  const { context, services, operation } = request;
  const sent = readInput(context, services.hideApiKeys, operation, json);
  if (isFailure(sent)) return sent;
  const answer = steps.answer(request, sent, json);
  if (!sent.strict) return answer;
  return andThen(answer, (found) => {
    if (!isFailure(found)) context.headers['preference-applied'] = 'handling=strict';
    return found;
  });
}

/** What every operation does after the checks that need no input: 415, 413, 400, then its own. */
const operationSteps: InputSteps<OperationRequest> = {
  begin({ context, services, operation }) {
    // A read of SQLite waits for nothing, so nothing ends it. A search begins a call itself.
    if (operation.kind === 'read' && !services.database.readsWait) return;
    beginCall(context, services.reportRepeated);
  },
  recheck: recheckLateKey,
  answer: answerKind,
};

/** Far below the second after which a revoked key must be rejected. */
const lateMilliseconds = 100;

/** A body may arrive seconds after its head. The key must still be valid then. */
function recheckLateKey({ context, services }: OperationRequest): Awaitable<Failure | undefined> {
  const milliseconds = services.now() - context.now;
  // It is below 0 if the clock was set back.
  const isLate = milliseconds < 0 || milliseconds >= lateMilliseconds;
  return isLate ? recheckKey(context, services) : undefined;
}

function answerKind(
  { context, services, operation }: OperationRequest,
  sent: SentInput,
  json: JsonText | undefined,
): Awaitable<Answer | Failure> {
  const { workspaceId, scopes } = context.caller;
  const input = { ...sent, workspaceId, scopes, now: context.now };
  switch (operation.kind) {
    case 'read':
      return answerRead({ context, services, operation }, input);
    case 'write':
      return answerWrite({ context, services, operation }, input, json?.bytes);
    case 'action':
      return answerAction({ context, services, operation }, input);
    case 'stream':
      return answerStream({ context, services, operation }, input);
  }
}
