import { CallEnded } from '../domain/values/context.ts';
import { DatabaseOutcomeUnknown, DatabaseUnavailable } from '../storage/contract/database-error.ts';

/** The HTTP status of each error code. The set is closed: codes may be added, and none changes its meaning. */
export const errorHttpStatus = {
  invalid_json: 400,
  invalid_body: 400,
  invalid_parameter: 400,
  invalid_cursor: 400,
  invalid_header: 400,
  unknown_field: 400,
  missing_api_key: 401,
  invalid_api_key: 401,
  insufficient_scope: 403,
  forbidden_origin: 403,
  not_found: 404,
  route_not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  pet_not_available: 409,
  idempotency_in_progress: 409,
  operation_removed: 410,
  cursor_expired: 410,
  precondition_failed: 412,
  content_too_large: 413,
  unsupported_media_type: 415,
  idempotency_key_reused: 422,
  rate_limited: 429,
  internal_error: 500,
  unavailable: 503,
  outcome_unknown: 503,
} as const;

export type ErrorCode = keyof typeof errorHttpStatus;

export const errorCodes: readonly string[] = Object.keys(errorHttpStatus);

const failed = Symbol('failed');

export const realm = 'Bearer realm="animal-store"';

const soon = { 'retry-after': '1' };

/** The headers of every response with one of these codes, unless its failure has others. */
const headersOfCode: Partial<Record<ErrorCode, Readonly<Record<string, string>>>> = {
  missing_api_key: { 'www-authenticate': realm },
  invalid_api_key: { 'www-authenticate': `${realm}, error="invalid_token"` },
  idempotency_in_progress: soon,
  rate_limited: soon,
  unavailable: soon,
  outcome_unknown: soon,
};

/** An expected failure, as a value. `headers` are added to its response. */
export interface Failure {
  readonly [failed]: true;
  readonly code: ErrorCode;
  readonly message: string;
  readonly headers: Readonly<Record<string, string>>;
}

export function fail(
  code: ErrorCode,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): Failure {
  return { [failed]: true, code, message, headers };
}

/** Whether a step returned a failure. */
export function isFailure(value: unknown): value is Failure {
  return typeof value === 'object' && value !== null && failed in value;
}

/** The one place that writes an error: exactly the three documented members, and no cache stores it. */
export function errorAnswer({ code, message, headers }: Failure) {
  const httpStatus = errorHttpStatus[code];
  return {
    httpStatus,
    headers: {
      'content-type': 'application/json',
      'cache-control': 'no-store',
      ...headersOfCode[code],
      ...headers,
    },
    body: JSON.stringify({ code, message, status: httpStatus }),
  };
}

/** The failure that answers a request after an exception. */
export function faultFailure(error: unknown): Failure {
  if (error instanceof DatabaseUnavailable) return error.isFull ? full : unavailable;
  if (error instanceof DatabaseOutcomeUnknown) return outcomeUnknown;
  if (error instanceof CallEnded) return tooSlow;
  return internalError;
}

const internalError = fail(
  'internal_error',
  'Internal error; report it with the X-Request-Id of this response',
);

const unavailable = fail('unavailable', 'Storage is not available; retry later');

const full = fail('unavailable', 'Storage is full; nothing can be written until space is free');

const tooSlow = fail('unavailable', 'The request took too long; retry later');

const outcomeUnknown = fail(
  'outcome_unknown',
  'The write timed out or was interrupted, and may have been done; retry with the same Idempotency-Key',
);
