import type { ZodOpenApiResponseObject, ZodOpenApiResponsesObject } from 'zod-openapi';
import { type ErrorCode, errorHttpStatus } from '../failure.ts';
import {
  answersRecord,
  type DeclaredSuccess,
  isConditional,
  type Operation,
} from '../operation.ts';
import { describeError, possibleErrors } from './errors.ts';
import { type DocumentedHeader, describeHeaders, rateLimitHeaders } from './headers.ts';

/** Every response of an operation. Responses that operations share are under `components`. */
export function describeResponses(operation: Operation): ZodOpenApiResponsesObject {
  const { method, successes, deprecation } = operation;
  const byStatus = Map.groupBy(possibleErrors(operation), (code) => errorHttpStatus[code]);
  const errors = [...byStatus].map(([httpStatus, codes]) => {
    const isPatchType = method === 'PATCH' && httpStatus === errorHttpStatus.unsupported_media_type;
    const shared = isPatchType ? toShared('UnsupportedPatchType') : findShared(codes);
    return deprecation === undefined && shared !== undefined
      ? ([httpStatus, shared] as const)
      : ([httpStatus, describeError(codes, headersOfOperation(operation, httpStatus))] as const);
  });
  const described = successes.map((success) => [
    success.httpStatus,
    describeSuccess(operation, success),
  ]);
  return {
    ...Object.fromEntries(described),
    ...(isConditional(operation) ? { '304': describeNotModified(operation) } : {}),
    ...Object.fromEntries(errors),
  };
}

function describeSuccess(
  operation: Operation,
  { httpStatus, description, content }: DeclaredSuccess,
): ZodOpenApiResponseObject {
  const headers = describeSuccessHeaders(operation, httpStatus === 201 ? ['Location'] : []);
  const described = { description, headers };
  if (content === undefined) return described;
  // A schema would describe the whole stream, which has no end. Tools check each event against it.
  return operation.kind === 'stream'
    ? { ...described, content: { 'text/event-stream': { example: content.example } } }
    : { ...described, content: { 'application/json': content } };
}

const notModified = 'Not modified: the response that you have is current.';

function describeNotModified(operation: Operation) {
  const isStable = operation.deprecation === undefined;
  if (isStable && answersRecord(operation)) return toShared('RecordNotModified');
  if (answersPage(operation)) return toShared('PageNotModified');
  return { description: notModified, headers: describeSuccessHeaders(operation) };
}

function answersPage({ queryParameters }: Operation): boolean {
  return queryParameters?.shape.cursor !== undefined;
}

function responseHeadersOfKind(operation: Operation): readonly DocumentedHeader[] {
  const isRecord = answersRecord(operation);
  switch (operation.kind) {
    case 'read':
      if (!isConditional(operation)) return ['X-Read-From', 'Last-Event-ID', 'NextEventsLink'];
      return [
        'X-Read-From',
        ...(answersPage(operation)
          ? (['ETag', 'NextLink'] as const)
          : ([isRecord ? 'RecordETag' : 'ETag'] as const)),
      ];
    case 'write':
      return isRecord ? ['Idempotent-Replayed', 'RecordETag'] : ['Idempotent-Replayed'];
    case 'action':
      return [];
    case 'stream':
      return ['X-Read-From', 'X-Accel-Buffering'];
  }
}

const successHeaders = ['X-Request-Id', 'Preference-Applied', ...rateLimitHeaders] as const;

function describeSuccessHeaders(operation: Operation, headers: readonly DocumentedHeader[] = []) {
  return describeHeaders([
    ...successHeaders,
    ...responseHeadersOfKind(operation),
    ...headers,
    ...headersOfOperation(operation),
  ]);
}

/** The responses under `components`. */
export function describeSharedResponses(): Record<string, ZodOpenApiResponseObject> {
  // Only responses of operations that are not stable have it. Linters look for it here.
  const moreHeaders = ['X-Stability'] as const;
  const errors = Object.entries(sharedErrors).map(([name, codes]) => [
    name,
    describeError(codes, moreHeaders),
  ]);
  const unmodified = (...headers: DocumentedHeader[]) => ({
    description: notModified,
    headers: describeHeaders([...successHeaders, ...headers, ...moreHeaders]),
  });
  return {
    PageNotModified: unmodified('X-Read-From', 'ETag', 'NextLink'),
    RecordNotModified: unmodified('X-Read-From', 'RecordETag'),
    ...Object.fromEntries(errors),
    UnsupportedPatchType: describeError(sharedErrors.UnsupportedMediaType, [
      'Accept-Patch',
      ...moreHeaders,
    ]),
  };
}

/** Errors that operations share, by their names in the document. */
const sharedErrors = {
  BadRequest: ['invalid_header', 'unknown_field'],
  BadParameter: ['invalid_parameter', 'invalid_header', 'unknown_field'],
  BadQuery: ['invalid_parameter', 'invalid_cursor', 'invalid_header', 'unknown_field'],
  BadBody: ['invalid_json', 'invalid_body', 'invalid_header', 'unknown_field'],
  Unauthorized: ['missing_api_key', 'invalid_api_key'],
  Forbidden: ['insufficient_scope'],
  NotFound: ['not_found'],
  Conflict: ['conflict', 'idempotency_in_progress'],
  IdempotencyInProgress: ['idempotency_in_progress'],
  CursorExpired: ['cursor_expired'],
  PreconditionFailed: ['precondition_failed'],
  ContentTooLarge: ['content_too_large'],
  UnsupportedMediaType: ['unsupported_media_type'],
  IdempotencyKeyReused: ['idempotency_key_reused'],
  RateLimited: ['rate_limited'],
  InternalError: ['internal_error'],
  Unavailable: ['unavailable'],
  WriteUnavailable: ['unavailable', 'outcome_unknown'],
} as const satisfies Record<string, readonly ErrorCode[]>;

function findShared(codes: readonly ErrorCode[]) {
  const found = Object.entries(sharedErrors).find(([, shared]) => `${shared}` === `${codes}`);
  return found && toShared(found[0]);
}

function toShared(name: string) {
  return { $ref: `#/components/responses/${name}` } as const;
}

/** The headers of every response of an operation. A removed operation is no longer deprecated. */
function headersOfOperation(
  { deprecation, stability }: Operation,
  httpStatus?: number,
): DocumentedHeader[] {
  const isRemoved = httpStatus === errorHttpStatus.operation_removed;
  return [
    ...(deprecation === undefined || isRemoved ? [] : (['Deprecation'] as const)),
    ...(deprecation === undefined ? [] : (['Sunset', 'SuccessorLink'] as const)),
    ...(stability === undefined ? [] : (['X-Stability'] as const)),
  ];
}
