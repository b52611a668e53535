import type { Awaitable } from '../domain/database.ts';
import { type Failure, fail, isFailure } from '../domain/error.ts';
import type { Answer } from './answer.ts';
import type { ApiKeyUses } from './api-key-uses.ts';
import { type Authentication, authenticate, type Caller, realm } from './authenticate.ts';
import { deprecationHeaders, refuseRemoved } from './deprecation.ts';
import { errorAnswer } from './error-response.ts';
import type { Operation, OperationSuccess } from './operation.ts';
import { readPrefersStrict } from './prefer.ts';
import { findUnknown, readBody, readPath, readQuery } from './read-input.ts';
import { readJsonBody } from './read-json.ts';

/** A request on its way through the pipeline. */
export interface Exchange {
  readonly request: Request;
  readonly pathParameters: Readonly<Record<string, string>>;
  /** What stands after the `?`. */
  readonly search: string;
  /** Public address of the service for links, ending in `/v1`. */
  readonly baseUrl: string;
  readonly now: number;
}

interface OperationExchange extends Exchange {
  readonly operation: Operation;
  caller: Caller;
}

export interface PipelineServices {
  readonly authentication: Authentication;
  readonly uses: ApiKeyUses;
}

/** A step answers, or lets the request pass on to the next. */
type Step = (
  exchange: OperationExchange,
  services: PipelineServices,
) => Awaitable<Answer | Failure | undefined>;

/** What every operation goes through, in this order. The path and method were found before. */
const steps: readonly Step[] = [
  authenticateCaller, // 401
  requireScope, // 403
  countUse,
  refuseWhenRemoved, // 410
  runOperation, // 415, 413, 400, then the operation's own
];

/** Until authentication has spoken, a request is nobody's and may do nothing. */
const nobody: Caller = { apiKeyId: -1n, workspaceId: -1n, scopes: [] };

/** Answers a request for one operation. */
export async function answerOperation(
  operation: Operation,
  exchange: Exchange,
  services: PipelineServices,
): Promise<Answer> {
  const passing: OperationExchange = { ...exchange, operation, caller: nobody };
  for (const step of steps) {
    const result = await step(passing, services);
    if (result !== undefined) {
      return withDeprecation(passing, isFailure(result) ? errorAnswer(result) : result);
    }
  }
  throw new Error(`No step answered ${operation.operationId}`);
}

async function authenticateCaller(
  exchange: OperationExchange,
  { authentication }: PipelineServices,
): Promise<Failure | undefined> {
  const caller = await authenticate(authentication, exchange.request.headers.get('authorization'));
  if (isFailure(caller)) return caller;
  exchange.caller = caller;
  return undefined;
}

function requireScope({ operation, caller }: OperationExchange): Failure | undefined {
  if (caller.scopes.includes(operation.scope)) return undefined;
  return fail(
    'insufficient_scope',
    `${operation.operationId} needs a key with the scope ${operation.scope}`,
    { 'www-authenticate': `${realm}, error="insufficient_scope", scope="${operation.scope}"` },
  );
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

function refuseWhenRemoved({ operation, now }: OperationExchange): Failure | undefined {
  return refuseRemoved(operation, now);
}

async function runOperation(
  { operation, request, search, pathParameters, caller, baseUrl, now }: OperationExchange,
  { authentication }: PipelineServices,
): Promise<Answer | Failure> {
  const json = operation.requestBody === undefined ? undefined : await readJsonBody(request);
  if (isFailure(json)) return json;
  const strict = readPrefersStrict(request.headers.get('prefer'));
  if (isFailure(strict)) return strict;

  const path = readPath(operation.pathParameters, pathParameters);
  if (isFailure(path)) return path;
  const parameters = new URLSearchParams(search);
  const query = readQuery(operation.queryParameters, parameters);
  if (isFailure(query)) return query;
  const body =
    operation.requestBody === undefined ? undefined : readBody(operation.requestBody, json?.value);
  if (isFailure(body)) return body;

  if (strict) {
    const unknown =
      findUnknown('query parameter', parameters.keys(), operation.queryParameters) ??
      (operation.requestBody === undefined
        ? undefined
        : findUnknown('member', Object.keys(Object(json?.value)), operation.requestBody));
    if (unknown !== undefined) return unknown;
  }

  const input = { path, query, body, workspaceId: caller.workspaceId, baseUrl, now };
  const result = await operation.handle(input, { database: authentication.database });
  return isFailure(result) ? result : successAnswer(operation, result, strict);
}

function successAnswer(
  { success, method }: Operation,
  { body, headers }: OperationSuccess,
  strict: boolean,
): Answer {
  return {
    httpStatus: success.httpStatus,
    headers: {
      'content-type': 'application/json',
      'cache-control': method === 'GET' ? 'private, no-cache' : 'no-store',
      ...(strict ? { 'preference-applied': 'handling=strict' } : {}),
      ...headers,
    },
    body,
  };
}

function withDeprecation({ operation, baseUrl, now }: OperationExchange, answer: Answer): Answer {
  if (operation.deprecation === undefined) return answer;
  const headers = deprecationHeaders(operation.deprecation, baseUrl, now);
  return { ...answer, headers: { ...answer.headers, ...headers } };
}
