import { z } from 'zod';
import { type Awaitable, andThen } from '../domain/values/awaitable.ts';
import { recheckKey } from './access/request-watch.ts';
import { type Answer, type Failure, isFailure } from './answer/answer.ts';
import { answerPoll } from './answer/answer-poll.ts';
import { answerRead } from './answer/answer-read.ts';
import { answerStream } from './answer/answer-stream.ts';
import { answerWrite } from './answer/answer-write.ts';
import { answerConsole } from './console/answer-console.ts';
import type { ConsoleOperation } from './console/console-operation.ts';
import type { Operation, OperationInput } from './operation.ts';
import { readPrefersStrict } from './request/prefer.ts';
import { findUnknown, readBody, readPath, readQuery, readSearch } from './request/read-input.ts';
import { type JsonText, readJsonBody } from './request/read-json.ts';
import type { AuthenticatedContext, OperationServices, RequestContext } from './request-context.ts';

/** The last step: reads what was sent, lets the operation do its work, and puts its result into words. */
export function runOperation(
  context: RequestContext,
  services: OperationServices,
): Awaitable<Answer | Failure> {
  const { operation, bodySecondsMax } = services;
  if (requestBodyOf(operation) === undefined) return runWithBody(context, services, undefined);
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

/** Far below the second within which a revoked key is to be refused. */
const lateMilliseconds = 100;

/** A body may come seconds after its head: the key must still be valid then. */
function recheckLateKey(
  context: RequestContext,
  services: OperationServices,
): Awaitable<Failure | undefined> {
  const milliseconds = services.now() - context.now;
  // Below 0 if the clock was set back. An operation of the console looks at its session itself.
  const isLate = milliseconds < 0 || milliseconds >= lateMilliseconds;
  return isLate && services.operation.audience === 'clients'
    ? recheckKey(context, services)
    : undefined;
}

/** What is left once the body has arrived, where there is one. */
function runWithBody(
  context: RequestContext,
  services: OperationServices,
  json: JsonText | undefined,
): Awaitable<Answer | Failure> {
  const checked = checkInput(context, services, json);
  if (isFailure(checked)) return checked;
  const answer = answerKind(context, services, checked.sent, json);
  if (!checked.strict) return answer;
  return andThen(answer, (found) => {
    if (!isFailure(found)) context.headers['preference-applied'] = 'handling=strict';
    return found;
  });
}

function answerKind(
  context: RequestContext,
  services: OperationServices,
  sent: CheckedInput,
  json: JsonText | undefined,
): Awaitable<Answer | Failure> {
  const { operation, console } = services;
  if (operation.kind === 'console') {
    if (console === undefined) throw new Error(`${operation.operationId} has no console`);
    return answerConsole(context, console, operation, sent);
  }
  if (!isAuthenticated(context)) throw new Error(`${operation.operationId} has no caller`);
  const { baseUrl, now, caller } = context;
  const { workspaceId, scopes } = caller;
  if (operation.kind === 'write') {
    const input = { ...sent, workspaceId, scopes, baseUrl, now };
    return answerWrite(context, services, operation, input, json?.bytes);
  }
  const { path, query } = sent;
  const bodiless = { path, query, body: undefined, workspaceId, scopes, baseUrl, now };
  if (operation.kind === 'read') return answerRead(context, services, operation, bodiless);
  return operation.kind === 'poll'
    ? answerPoll(context, services, operation, bodiless)
    : answerStream(context, services, operation, bodiless);
}

function isAuthenticated(context: RequestContext): context is AuthenticatedContext {
  return context.caller !== undefined;
}

function requestBodyOf(operation: Operation | ConsoleOperation) {
  return operation.kind === 'write' || operation.kind === 'console'
    ? operation.requestBody
    : undefined;
}

type Members = Record<string, unknown>;
type CheckedInput = Pick<
  OperationInput<Members, Members, Members | undefined>,
  'path' | 'query' | 'body'
>;

const noParameters = z.object({});

function checkInput(
  { request, target, pathParameters }: RequestContext,
  { operation, hideApiKeys: hide }: OperationServices,
  json: JsonText | undefined,
): { readonly sent: CheckedInput; readonly strict: boolean } | Failure {
  const strict = readPrefersStrict(request.headers.get('prefer'));
  if (isFailure(strict)) return strict;
  const path = readPath(operation.pathParameters ?? noParameters, pathParameters, hide);
  if (isFailure(path)) return path;
  const { queryParameters = noParameters } = operation;
  const search = readSearch(target.search);
  const query = readQuery(queryParameters, search, hide);
  if (isFailure(query)) return query;
  const requestBody = requestBodyOf(operation);
  const body =
    requestBody === undefined
      ? undefined
      : readBody(requestBody, json?.value, hide, {
          isPatch: operation.method === 'PATCH',
          faultsOf: (value) =>
            'bodyFaults' in operation ? (operation.bodyFaults?.(value, path) ?? []) : [],
        });
  if (isFailure(body)) return body;

  if (strict) {
    const members = Object.keys(Object(json?.value));
    const names = search.map(([name]) => name);
    const unknown =
      findUnknown('query parameter', names, queryParameters, hide) ??
      (requestBody && findUnknown('member', members, requestBody, hide));
    if (unknown !== undefined) return unknown;
  }
  return { sent: { path, query, body }, strict };
}
