import { type Awaitable, andThen } from '../domain/values/awaitable.ts';
import { recheckKey } from './access/request-watch.ts';
import { type Answer, type Failure, isFailure } from './answer/answer.ts';
import { answerPoll } from './answer/answer-poll.ts';
import { answerRead } from './answer/answer-read.ts';
import { answerStream } from './answer/answer-stream.ts';
import { answerWrite } from './answer/answer-write.ts';
import type { Operation, OperationInput } from './operation.ts';
import { readPrefersStrict } from './request/prefer.ts';
import { findUnknown, readBody, readPath, readQuery, readSearch } from './request/read-input.ts';
import { type JsonText, readJsonBody } from './request/read-json.ts';
import type { AuthenticatedContext, OperationServices } from './request-context.ts';

/** The last step: reads what was sent, lets the operation do its work, and puts its result into words. */
export function runOperation(
  context: AuthenticatedContext,
  services: OperationServices,
): Awaitable<Answer | Failure> {
  const { operation, bodySecondsMax } = services;
  if (requestBodyOf(operation) === undefined) return runWithBody(context, services, undefined);
  return readJsonBody(context.request, bodySecondsMax).then((json) =>
    isFailure(json)
      ? json
      : andThen(
          recheckLateKey(context, services),
          (failure) => failure ?? runWithBody(context, services, json),
        ),
  );
}

/** Far below the second within which a revoked key is to be refused. */
const lateMilliseconds = 100;

/** A body may come seconds after its head: the key must still be valid then. */
function recheckLateKey(
  context: AuthenticatedContext,
  services: OperationServices,
): Awaitable<Failure | undefined> {
  const milliseconds = services.now() - context.now;
  // Below 0 where the clock was set back meanwhile.
  return milliseconds >= 0 && milliseconds < lateMilliseconds
    ? undefined
    : recheckKey(context, services);
}

/** What is left once the body has arrived, where there is one. */
function runWithBody(
  context: AuthenticatedContext,
  services: OperationServices,
  json: JsonText | undefined,
): Awaitable<Answer | Failure> {
  const checked = checkInput(context, services, json);
  if (isFailure(checked)) return checked;
  const answer = answerKind(context, services, checked.input, json);
  if (!checked.strict) return answer;
  return andThen(answer, (found) => {
    if (!isFailure(found)) context.headers['preference-applied'] = 'handling=strict';
    return found;
  });
}

function answerKind(
  context: AuthenticatedContext,
  services: OperationServices,
  input: CheckedInput,
  json: JsonText | undefined,
): Awaitable<Answer | Failure> {
  const { operation } = services;
  if (operation.kind === 'write') {
    return answerWrite(context, services, operation, input, json?.bytes);
  }
  const bodiless = { ...input, body: undefined };
  if (operation.kind === 'read') return answerRead(context, services, operation, bodiless);
  return operation.kind === 'poll'
    ? answerPoll(context, services, operation, bodiless)
    : answerStream(context, services, operation, bodiless);
}

function requestBodyOf(operation: Operation) {
  return operation.kind === 'write' ? operation.requestBody : undefined;
}

type Members = Record<string, unknown>;
type CheckedInput = OperationInput<Members, Members, Members | undefined>;

function checkInput(
  { request, target, caller, baseUrl, now, pathParameters }: AuthenticatedContext,
  { operation, hideApiKeys: hide }: OperationServices,
  json: JsonText | undefined,
): { readonly input: CheckedInput; readonly strict: boolean } | Failure {
  const strict = readPrefersStrict(request.headers.get('prefer'));
  if (isFailure(strict)) return strict;
  const path = readPath(operation.pathParameters, pathParameters, hide);
  if (isFailure(path)) return path;
  const { queryParameters } = operation;
  const sent = readSearch(target.search);
  const query = readQuery(queryParameters, sent, hide);
  if (isFailure(query)) return query;
  const requestBody = requestBodyOf(operation);
  const body =
    operation.kind !== 'write' || operation.requestBody === undefined
      ? undefined
      : readBody(operation.requestBody, json?.value, hide, {
          isPatch: operation.method === 'PATCH',
          faultsOf: (value) => operation.bodyFaults?.(value, path) ?? [],
        });
  if (isFailure(body)) return body;

  if (strict) {
    const members = Object.keys(Object(json?.value));
    const names = sent.map(([name]) => name);
    const unknown =
      findUnknown('query parameter', names, queryParameters, hide) ??
      (requestBody && findUnknown('member', members, requestBody, hide));
    if (unknown !== undefined) return unknown;
  }
  const { workspaceId, scopes } = caller;
  return { input: { path, query, body, workspaceId, scopes, baseUrl, now }, strict };
}
