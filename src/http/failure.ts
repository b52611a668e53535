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
