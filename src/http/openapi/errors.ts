import { z } from 'zod';
import type { ZodOpenApiResponseObject } from 'zod-openapi';
import { type ErrorCode, errorHttpStatus } from '../failure.ts';
import { type Operation, takesPrecondition } from '../operation.ts';
import { type DocumentedHeader, describeHeaders, rateLimitHeaders } from './headers.ts';

/** What each error code means. The document and `docs/errors.md` list these texts, and what to do. */
export const errorMeanings = {
  invalid_json:
    'The body is not valid JSON: a syntax error, not UTF-8, a byte order mark, a duplicate member, more than 32 levels or 1000 values, ' +
    'or incomplete after 10 s.',
  invalid_body:
    'The body is JSON but does not match the schema, or the record that it changes. The message lists up to 10 faults.',
  invalid_parameter:
    'A query parameter is out of range, not in its enumeration, empty, or repeated although only one is allowed.',
  invalid_cursor: 'The cursor is not from this service, or belongs to another list or filter.',
  invalid_header: 'A request header is malformed.',
  unknown_field:
    'Only with `Prefer: handling=strict`: a query parameter or a member of the body is not in the OpenAPI document.',
  missing_api_key: 'No API key was sent, or another authentication scheme was used.',
  invalid_api_key:
    'The API key is malformed, unknown, expired, revoked, or of the other environment.',
  insufficient_scope: 'The API key does not have the scope that the operation needs.',
  forbidden_origin:
    'Only below `/console`: a request to the console from another site, over an unprotected connection, or a sign-in on a ' +
    'page that was not opened at the base URL.',
  not_found: 'There is no such animal, or other record, in the workspace of this API key.',
  route_not_found: 'There is no such path.',
  method_not_allowed: 'The path exists, but not with this method.',
  conflict: 'The state of the resource does not allow the operation.',
  pet_not_available: 'The order is for an animal that is not `available`.',
  idempotency_in_progress: 'A request with the same `Idempotency-Key` is still running.',
  operation_removed: 'The operation was removed on the announced date.',
  cursor_expired: 'The position in the feed is older than what is kept, or was never assigned.',
  precondition_failed:
    'The resource is not, or no longer, in the state that `If-Match` or `If-None-Match` demands.',
  content_too_large: 'The body is larger than 65536 bytes.',
  unsupported_media_type:
    'The body is not `application/json`, or for a change `application/merge-patch+json` (with no charset but utf-8), or has ' +
    'a content encoding.',
  idempotency_key_reused:
    'The `Idempotency-Key` was used before for another request of this operation: its path, query or body was different.',
  rate_limited:
    'The key exceeded its rate limit, or has 10 streams and waiting requests open, or a test of the webhook is running, or it changed webhooks 60 times in a minute, or too many of their URLs are checked.',
  internal_error: 'The program has a fault.',
  unavailable:
    'Storage is down, full or too slow, the server has 1000 streams and waiting requests open or too many searches, or it is ' +
    'shutting down.',
  outcome_unknown: 'The write timed out or was interrupted, and may have been done.',
} as const satisfies Record<ErrorCode, string>;

/** What to do about each error code. */
export const errorAdvice = {
  invalid_json: 'Correct the text of the body at the place that the message names.',
  invalid_body: 'Correct the members that the message names.',
  invalid_parameter: 'Correct the parameter that the message names.',
  invalid_cursor: 'Follow the `Link` header of the previous page, or read the first page again.',
  invalid_header: 'Correct the header that the message names.',
  unknown_field: 'Remove what the message names, or send the request without this preference.',
  missing_api_key: 'Send `Authorization: Bearer API_KEY`.',
  invalid_api_key: 'Ask the operator of the service for a new key.',
  insufficient_scope: 'Use a key with the scope that the message names.',
  forbidden_origin: 'Open the console at the base URL of the service.',
  not_found: 'Check the id, and that the key belongs to the workspace of the record.',
  route_not_found: 'Compare the path with the OpenAPI document.',
  method_not_allowed: 'Use a method that `Allow` lists.',
  conflict: 'Read the resource, remove the reason that the message names, then retry.',
  pet_not_available: 'Order another animal, or wait until this one is available again.',
  idempotency_in_progress: 'Retry after the seconds in `Retry-After`, to get its response.',
  operation_removed: 'Use the operation that `Link` names.',
  cursor_expired: 'Take a new position with `after=now`, and list the records again.',
  precondition_failed:
    'Read the resource again. If the request is still wanted, repeat it with the new `ETag`.',
  content_too_large: 'Send a smaller body.',
  unsupported_media_type: 'Send a type that `Accept` lists, in UTF-8 and not compressed.',
  idempotency_key_reused:
    'Send a new request with a new key, and a repeated one with the same bytes as before.',
  rate_limited: 'Retry after the seconds in `Retry-After`.',
  internal_error: 'Report it with the `X-Request-Id`.',
  unavailable: 'Retry after the seconds in `Retry-After`.',
  outcome_unknown: 'Retry with the same `Idempotency-Key`, or check first.',
} as const satisfies Record<ErrorCode, string>;

/** The errors of an operation, derived from its declaration and the pipeline. */
export function possibleErrors(operation: Operation): ErrorCode[] {
  const { pathParameters, queryParameters, requestBody, deprecation, errors, kind, scope } =
    operation;
  const obeysIfMatch = !['write', 'action'].includes(kind) || takesPrecondition(operation);
  const when = (isPossible: boolean, ...codes: readonly ErrorCode[]) => (isPossible ? codes : []);
  return [
    ...new Set<ErrorCode>([
      ...when(requestBody !== undefined, 'invalid_json', 'invalid_body'),
      ...when(requestBody !== undefined, 'content_too_large', 'unsupported_media_type'),
      ...when(queryParameters !== undefined, 'invalid_parameter'),
      ...when(queryParameters?.shape.cursor !== undefined, 'invalid_cursor'),
      ...(errors ?? []),
      ...when(pathParameters !== undefined, 'not_found'),
      ...when(obeysIfMatch, 'precondition_failed'),
      'invalid_header',
      'unknown_field',
      'missing_api_key',
      'invalid_api_key',
      ...when(scope !== undefined, 'insufficient_scope'),
      'rate_limited',
      ...when(deprecation !== undefined, 'operation_removed'),
      'internal_error',
      'unavailable',
      ...when(
        kind === 'write',
        'idempotency_in_progress',
        'idempotency_key_reused',
        'outcome_unknown',
      ),
      ...when(kind === 'action', 'outcome_unknown'),
    ]),
  ];
}

/** The response with one of these codes, which have one HTTP status. */
export function describeError(
  codes: readonly ErrorCode[],
  moreHeaders: readonly DocumentedHeader[] = [],
): ZodOpenApiResponseObject {
  const meanings = codes.map((code) => `\`${code}\`: ${errorMeanings[code]} ${errorAdvice[code]}`);
  const mayBeLimited = codes.some((code) => !refusedBeforeLimit.includes(code));
  return {
    description: meanings.length === 1 ? `${meanings}` : `- ${meanings.join('\n- ')}`,
    headers: describeHeaders([
      'X-Request-Id',
      ...codes.flatMap((code) =>
        code === 'idempotency_in_progress' && codes.length > 1
          ? (['RunningRetryAfter'] as const)
          : (headerNamesOfCode[code] ?? []),
      ),
      ...(mayBeLimited ? rateLimitHeaders : []),
      ...moreHeaders,
    ]),
    content: {
      'application/json': {
        schema: errorSchema,
        examples: Object.fromEntries(
          codes.map((code) => [code, { $ref: `#/components/examples/${code}` }]),
        ),
      },
    },
  };
}

/** An example of a body for each of these codes. */
export function describeErrorExamples(codes: Iterable<ErrorCode>) {
  return Object.fromEntries(
    [...codes].map((code) => {
      const message = exampleMessages[code] ?? errorMeanings[code];
      return [code, { value: { code, message, status: errorHttpStatus[code] } }];
    }),
  );
}

const headerNamesOfCode: Partial<Record<ErrorCode, readonly DocumentedHeader[]>> = {
  missing_api_key: ['WWW-Authenticate'],
  invalid_api_key: ['WWW-Authenticate'],
  insufficient_scope: ['WWW-Authenticate'],
  unsupported_media_type: ['Accept', 'Accept-Encoding'],
  idempotency_in_progress: ['Retry-After'],
  rate_limited: ['Retry-After'],
  unavailable: ['Retry-After'],
  outcome_unknown: ['Retry-After'],
};

/**
 * `invalid_api_key` is not one of them: a write also returns it if its workspace is deleted while it waits. Neither is
 * `insufficient_scope`: the feed also returns it for a filter.
 */
const refusedBeforeLimit: readonly ErrorCode[] = ['missing_api_key'];

const errorSchema = z
  .object({
    code: z.string().meta({
      description: 'Error code, for programs. New codes may be added; none changes its meaning.',
      examples: ['invalid_body'],
    }),
    message: z.string().meta({
      description: 'Error message, for people. The wording may change.',
      examples: ['categoryId is required'],
    }),
    status: z.int().meta({
      description: 'The HTTP status code.',
      examples: [400],
      override: { format: 'int32', minimum: 400, maximum: 599 },
    }),
  })
  .meta({ id: 'Error', description: 'The body of every error response.' });

/** Messages of the service. A code without one has its meaning as the example. */
const exampleMessages: Partial<Record<ErrorCode, string>> = {
  invalid_json: 'The body is not valid JSON: unexpected "}" at line 3, column 1',
  invalid_body: 'categoryId is required',
  invalid_parameter: 'limit must be an integer from 1 to 100, got "0"',
  invalid_cursor: 'cursor is not from this service; follow the Link header of the previous page',
  invalid_header: 'Prefer is malformed; it must be like Prefer: handling=strict',
  unknown_field: '"color" is not a query parameter of this operation',
  missing_api_key: 'Send an API key as Authorization: Bearer API_KEY',
  invalid_api_key: 'The API key is not valid',
  insufficient_scope: 'createPet needs a key with the scope pets:write',
  not_found: 'There is no animal 404',
  cursor_expired:
    'Not all events after position 1042 are in the feed, which has those from 1 to 4; take the position of after=now, list the ' +
    'records again, and continue from there',
  precondition_failed:
    'The animal has changed since this ETag (a weak ETag never matches). Read it again, then retry.',
  conflict: 'Order 1 for animal 1 is open; ship or cancel it first',
  pet_not_available: 'Animal 1 is not available',
  idempotency_in_progress:
    'A request with this Idempotency-Key is still running; retry to get its response',
  operation_removed:
    'GET /pets/{petId} was removed on 2030-12-05; use GET /pets with the status or id filter',
  content_too_large: 'The body must be at most 65536 bytes',
  unsupported_media_type: 'The body must be sent as Content-Type: application/json, in UTF-8',
  idempotency_key_reused:
    'This Idempotency-Key was used for another request: a repeat needs the same body, byte for byte, and a new request a new key',
  rate_limited: 'This key may send 600 requests in 60 seconds; retry after 1 s',
  internal_error: 'Internal error; report it with the X-Request-Id of this response',
  unavailable: 'Storage is not available; retry later',
  outcome_unknown:
    'The write timed out or was interrupted, and may have been done; retry with the same Idempotency-Key',
};
