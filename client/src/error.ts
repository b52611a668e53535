import type { ErrorCode } from './contract.ts';

/** Why there is no answer of the service: no connection, none in time, or one that is not the service's. */
export type ClientErrorCode = 'connection_failed' | 'timed_out' | 'unexpected_response';

export interface AnimalStoreErrorDetails {
  readonly httpStatus?: number | undefined;
  /** Names the request in the log of the service. */
  readonly requestId?: string | undefined;
  readonly retryAfterSeconds?: number | undefined;
  readonly cause?: unknown;
}

/** The one error that a call of the service throws, but for what its signal was aborted with. */
export class AnimalStoreError extends Error {
  override readonly name = 'AnimalStoreError';
  /** Of the service, where codes may be added, or of this client. */
  readonly code: ErrorCode | ClientErrorCode | (string & {});
  readonly httpStatus: number | undefined;
  readonly requestId: string | undefined;
  readonly retryAfterSeconds: number | undefined;
  /**
   * Of a write: whose outcome may be unknown. The same call with this key is done once, within 24 hours, however often it is made.
   */
  idempotencyKey: string | undefined;

  constructor(code: string, message: string, details: AnimalStoreErrorDetails = {}) {
    super(message, details.cause === undefined ? {} : { cause: details.cause });
    this.code = code;
    this.httpStatus = details.httpStatus;
    this.requestId = details.requestId;
    this.retryAfterSeconds = details.retryAfterSeconds;
  }
}

/** Whether something that was thrown is an error of the service, or one with a certain code. */
export function isAnimalStoreError(error: unknown): error is AnimalStoreError;
export function isAnimalStoreError<Code extends ErrorCode | ClientErrorCode | (string & {})>(
  error: unknown,
  code: Code,
): error is AnimalStoreError & { readonly code: Code };
export function isAnimalStoreError(error: unknown, code?: string): boolean {
  return error instanceof AnimalStoreError && (code === undefined || error.code === code);
}
