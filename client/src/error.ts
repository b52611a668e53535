import type { ErrorCode } from './contract.ts';

/** Codes of this client: no connection, no answer in time, or an answer of another server. */
export type ClientErrorCode = 'connection_failed' | 'timed_out' | 'unexpected_response';

export interface AnimalStoreErrorDetails {
  readonly httpStatus?: number | undefined;
  /** Names the request in the log of the service. */
  readonly requestId?: string | undefined;
  readonly retryAfterSeconds?: number | undefined;
  readonly cause?: unknown;
}

/** An application can load two copies of this package, which have two classes of this error. */
const mark = Symbol.for('animal-store-client.error');

/** The error that a call of the service throws, except the reason of an aborted signal. */
export class AnimalStoreError extends Error {
  override readonly name = 'AnimalStoreError';
  /** A code of the service, which may add codes, or of this client. */
  readonly code: ErrorCode | ClientErrorCode | (string & {});
  readonly httpStatus: number | undefined;
  readonly requestId: string | undefined;
  readonly retryAfterSeconds: number | undefined;
  /**
   * The key of a write, whose outcome may be unknown. Repeat the call with it: within 24 hours the write is done once.
   */
  idempotencyKey: string | undefined;

  constructor(code: string, message: string, details: AnimalStoreErrorDetails = {}) {
    super(message, details.cause === undefined ? {} : { cause: details.cause });
    this.code = code;
    this.httpStatus = details.httpStatus;
    this.requestId = details.requestId;
    this.retryAfterSeconds = details.retryAfterSeconds;
    Object.defineProperty(this, mark, { value: true });
  }
}

/** Whether a thrown value is an error of the service, or one with this code. */
export function isAnimalStoreError(error: unknown): error is AnimalStoreError;
export function isAnimalStoreError<Code extends ErrorCode | ClientErrorCode | (string & {})>(
  error: unknown,
  code: Code,
): error is AnimalStoreError & { readonly code: Code };
export function isAnimalStoreError(error: unknown, code?: string): boolean {
  const isMarked = typeof error === 'object' && error !== null && mark in error;
  return isMarked && (code === undefined || ('code' in error && error.code === code));
}
