import type { ZodOpenApiResponseObject, ZodOpenApiResponsesObject } from 'zod-openapi';
import type { ErrorCode } from '../../domain/error.ts';
import { errorHttpStatus } from '../error-response.ts';
import type { Operation } from '../operation.ts';
import { describeError, possibleErrors } from './errors.ts';
import { type DocumentedHeader, describeHeaders, rateLimitHeaders } from './headers.ts';

/** Every answer that an operation can give. What other operations answer alike stands once, under `components`. */
export function describeAnswers(operation: Operation): ZodOpenApiResponsesObject {
  const { kind, success, deprecation } = operation;
  const headers = describeHeaders([
    'X-Request-Id',
    'Preference-Applied',
    kind === 'read' ? 'ETag' : 'Idempotent-Replayed',
    ...rateLimitHeaders,
    ...success.headers,
    ...deprecationHeaders(operation),
  ]);
  const byStatus = Map.groupBy(possibleErrors(operation), (code) => errorHttpStatus[code]);
  const errors = [...byStatus].map(([httpStatus, codes]) => {
    const shared = deprecation === undefined ? findShared(codes) : undefined;
    return [
      httpStatus,
      shared ?? describeError(codes, deprecationHeaders(operation, httpStatus)),
    ] as const;
  });
  return {
    [`${success.httpStatus}`]: {
      description: success.description,
      headers,
      content: { 'application/json': { schema: success.schema, example: success.example } },
    },
    ...(kind === 'read'
      ? { '304': { description: 'The answer that you have still holds.', headers } }
      : {}),
    ...Object.fromEntries(errors),
    '431': toShared('HeadTooLarge'),
  };
}

/** The answers that stand under `components`. */
export function describeSharedAnswers(): Record<string, ZodOpenApiResponseObject> {
  const errors = Object.entries(sharedErrors).map(([name, codes]) => [name, describeError(codes)]);
  return {
    ...Object.fromEntries(errors),
    HeadTooLarge: {
      description:
        'The head of the request, its address among it, has more than 16 KiB or 198 fields. It is refused before ' +
        'the service looks at it, without a body.',
    },
  };
}

/** Errors that operations have in common, under the names that they have in the document. */
const sharedErrors = {
  BadQuery: ['invalid_parameter', 'invalid_cursor', 'invalid_header', 'unknown_field'],
  BadBody: ['invalid_json', 'invalid_body', 'invalid_header', 'unknown_field'],
  Unauthorized: ['missing_api_key', 'invalid_api_key'],
  Forbidden: ['insufficient_scope'],
  IdempotencyInProgress: ['idempotency_in_progress'],
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

function deprecationHeaders({ deprecation }: Operation, httpStatus?: number): DocumentedHeader[] {
  if (deprecation === undefined) return [];
  // What is gone is no longer deprecated.
  const isRemoved = httpStatus === errorHttpStatus.operation_removed;
  return isRemoved ? ['Sunset', 'SuccessorLink'] : ['Deprecation', 'Sunset', 'SuccessorLink'];
}
