import { type Failure, isFailure } from '../domain/error.ts';
import type { Answer } from './answer.ts';
import type { OperationExchange, PipelineServices } from './exchange.ts';
import { readIdempotencyKey } from './idempotency.ts';
import { keptKey } from './kept-answers.ts';
import type { Operation, OperationInput, OperationSuccess } from './operation.ts';
import { readPrefersStrict } from './prefer.ts';
import { findUnknown, readBody, readPath, readQuery } from './read-input.ts';
import { type JsonText, readJsonBody } from './read-json.ts';
import { choose, represent } from './representation.ts';

/** The last step: reads what was sent, lets the operation do its work, and puts its result into words. */
export async function runOperation(
  exchange: OperationExchange,
  services: PipelineServices,
): Promise<Answer | Failure> {
  const { requestBody } = exchange.operation;
  const json = requestBody === undefined ? undefined : await readJsonBody(exchange.request);
  if (isFailure(json)) return json;
  const checked = checkInput(exchange, json);
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
  /** Everything sent stands in the document. */
  readonly allKnown: boolean;
  readonly strict: boolean;
}

function checkInput(
  exchange: OperationExchange,
  json: JsonText | undefined,
): CheckedInput | Failure {
  const { operation, request, caller, baseUrl, now } = exchange;
  const { pathParameters, queryParameters, requestBody } = operation;
  const strict = readPrefersStrict(request.headers.get('prefer'));
  if (isFailure(strict)) return strict;
  const path = readPath(pathParameters, exchange.pathParameters);
  if (isFailure(path)) return path;
  const parameters = new URLSearchParams(exchange.search);
  const query = readQuery(queryParameters, parameters);
  if (isFailure(query)) return query;
  const body = requestBody === undefined ? undefined : readBody(requestBody, json?.value);
  if (isFailure(body)) return body;

  const members = Object.keys(Object(json?.value));
  const unknown =
    findUnknown('query parameter', parameters.keys(), queryParameters) ??
    (requestBody && findUnknown('member', members, requestBody));
  if (strict && unknown !== undefined) return unknown;
  const { workspaceId } = caller;
  return {
    input: { path, query, body, workspaceId, baseUrl, now },
    allKnown: unknown === undefined,
    strict,
  };
}

async function answerRead(
  exchange: OperationExchange,
  { database, kept }: PipelineServices,
  { input, allKnown }: CheckedInput,
): Promise<Answer | Failure> {
  const { operation, request } = exchange;
  // A page with parameters that are not known is not kept: there is no end to the copies one could ask for.
  const keeps = allKnown && operation.keeps?.(input.query) === true;
  const moment = keeps ? await kept.moment(input.workspaceId) : undefined;
  const { write } = database;
  const result = await operation.handle(input, { database, write });
  if (isFailure(result)) return result;
  const representation = represent(successAnswer(operation, result), keeps);
  if (moment !== undefined) kept.keep(keptKey(exchange), moment, representation);
  return choose(representation, request.headers);
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

function successAnswer({ success, method }: Operation, result: OperationSuccess): Answer {
  return {
    httpStatus: success.httpStatus,
    headers: {
      'content-type': 'application/json',
      'cache-control': method === 'GET' ? 'private, no-cache' : 'no-store',
      ...result.headers,
    },
    body: result.body,
  };
}
