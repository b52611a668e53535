import { type Failure, isFailure } from '../domain/error.ts';
import type { Answer } from './answer.ts';
import type { OperationExchange, PipelineServices } from './exchange.ts';
import { readIdempotencyKey } from './idempotency.ts';
import { formatQuery, keptKey } from './kept-answers.ts';
import type { Operation, OperationInput, OperationSuccess } from './operation.ts';
import { readPrefersStrict } from './prefer.ts';
import { findUnknown, readBody, readPath, readQuery } from './read-input.ts';
import { type JsonText, readJsonBody } from './read-json.ts';
import { type Representation, represent } from './representation.ts';

/** The last step: reads what was sent, lets the operation do its work, and puts its result into words. */
export async function runOperation(
  exchange: OperationExchange,
  services: PipelineServices,
): Promise<Answer | Failure> {
  const { requestBody } = exchange.operation;
  const json =
    requestBody === undefined
      ? undefined
      : await readJsonBody(exchange.request, services.bodySecondsMax);
  if (isFailure(json)) return json;
  const checked = checkInput(exchange, services, json);
  if (isFailure(checked)) return checked;
  const answer =
    json === undefined
      ? await answerRead(exchange, services, checked)
      : await answerWrite(exchange, services, checked, json);
  if (checked.strict && !isFailure(answer)) {
    exchange.headers['preference-applied'] = 'handling=strict';
  }
  return answer;
}

type Members = Record<string, unknown>;

interface CheckedInput {
  readonly input: OperationInput<Members, Members, Members | undefined>;
  readonly strict: boolean;
}

function checkInput(
  exchange: OperationExchange,
  { hideApiKeys: hide }: PipelineServices,
  json: JsonText | undefined,
): CheckedInput | Failure {
  const { operation, request, caller, baseUrl, now } = exchange;
  const { pathParameters, queryParameters, requestBody } = operation;
  const strict = readPrefersStrict(request.headers.get('prefer'));
  if (isFailure(strict)) return strict;
  const path = readPath(pathParameters, exchange.pathParameters, hide);
  if (isFailure(path)) return path;
  const parameters = new URLSearchParams(exchange.search);
  const query = readQuery(queryParameters, parameters, hide);
  if (isFailure(query)) return query;
  const body = requestBody === undefined ? undefined : readBody(requestBody, json?.value, hide);
  if (isFailure(body)) return body;

  if (strict) {
    const members = Object.keys(Object(json?.value));
    const unknown =
      findUnknown('query parameter', parameters.keys(), queryParameters, hide) ??
      (requestBody && findUnknown('member', members, requestBody, hide));
    if (unknown !== undefined) return unknown;
  }
  const { workspaceId } = caller;
  return { input: { path, query, body, workspaceId, baseUrl, now }, strict };
}

async function answerRead(
  exchange: OperationExchange,
  services: PipelineServices,
  { input }: CheckedInput,
): Promise<Answer | Failure> {
  const { operation, request } = exchange;
  const representation =
    operation.keeps?.(input.query) === true
      ? await findOrKeep(exchange, services, input)
      : await read(operation, services, input, false);
  return isFailure(representation)
    ? representation
    : representation.choose(request.headers, input.baseUrl);
}

/** What is kept of a query that is written in another way than it was asked before is found here. */
async function findOrKeep(
  { operation, search }: OperationExchange,
  services: PipelineServices,
  input: CheckedInput['input'],
): Promise<Representation | Failure> {
  const { kept } = services;
  const { operationId } = operation;
  const { workspaceId } = input;
  const query = formatQuery(input.query);
  kept.learnQuery(operationId, search, query);
  const key = keptKey(operationId, workspaceId, query);
  const found = await kept.find(key, workspaceId);
  if (found !== undefined) return found;
  const moment = await kept.moment(workspaceId);
  const representation = await read(operation, services, input, true);
  if (!isFailure(representation)) kept.keep(key, moment, representation);
  return representation;
}

async function read(
  operation: Operation,
  { database }: PipelineServices,
  input: CheckedInput['input'],
  reused: boolean,
): Promise<Representation | Failure> {
  const { write } = database;
  const result = await operation.handle(input, { database, write });
  return isFailure(result)
    ? result
    : represent(successAnswer(operation, result), result.next, reused);
}

async function answerWrite(
  { operation, request, headers }: OperationExchange,
  { database, idempotentWrites }: PipelineServices,
  { input }: CheckedInput,
  { bytes }: JsonText,
): Promise<Answer | Failure> {
  const key = readIdempotencyKey(request.headers.get('idempotency-key'));
  if (isFailure(key)) return key;
  const { workspaceId, now } = input;
  const { operationId } = operation;
  const idempotent =
    key === undefined
      ? undefined
      : { workspaceId, operationId, key, requestDigest: digest(bytes), now, headers };
  const result = await idempotentWrites(idempotent, async (write) =>
    operation.handle(input, { database, write }),
  );
  return isFailure(result) ? result : successAnswer(operation, result);
}

function digest(bytes: Uint8Array): string {
  return Bun.SHA256.hash(bytes as Uint8Array<ArrayBuffer>, 'hex');
}

function successAnswer(
  { success, kind }: Operation,
  result: OperationSuccess,
): Answer & { readonly body: string } {
  return {
    httpStatus: success.httpStatus,
    headers: {
      'content-type': 'application/json',
      'cache-control': kind === 'read' ? 'private, no-cache' : 'no-store',
      ...result.headers,
    },
    body: result.body,
  };
}
