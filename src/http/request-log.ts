import type { ErrorCode } from './failure.ts';
import type { RequestContext } from './request-context.ts';

/** What is known about a request when the log names it. */
export interface LoggedRequest {
  readonly requestId: string;
  readonly method: string;
  readonly path: string;
  /** The address of the client, if it is known. */
  readonly address?: string | undefined;
  /** The key of the caller. It is 0 for the operator's own key. */
  readonly apiKeyId?: number | undefined;
  /** The session of the console, if the request has one. */
  readonly sessionId?: string | undefined;
  readonly workspace?: string | undefined;
}

interface AnsweredRequest extends LoggedRequest {
  readonly httpStatus: number;
  /** The error code of the response. Undefined if it is no error. */
  readonly code: ErrorCode | undefined;
  readonly milliseconds: number;
}

interface ReadRequest extends LoggedRequest {
  /** How many records the response has. Of a stream, it is logged at the end. */
  readonly recordCount: number;
}

interface FailedRequest extends LoggedRequest {
  readonly error: unknown;
}

/** A refused sign-in, or a request of another site to the console. */
export interface RefusedConsoleRequest extends LoggedRequest {
  readonly refusal: 'sign-in' | 'origin';
  /** A word that repeats no input. */
  readonly reason: string;
}

/** Logs that a request was refused, and why, in a word. */
export type ReportRefusal = (
  context: RequestContext,
  refusal: RefusedConsoleRequest['refusal'],
  reason: string,
) => void;

export interface RequestLog {
  readonly refused: (entry: RefusedConsoleRequest) => void;
  /** Undefined if requests are not logged, which saves the time. */
  readonly answered: ((entry: AnsweredRequest) => void) | undefined;
  /** Undefined if reads are not logged. */
  readonly read: ((entry: ReadRequest) => void) | undefined;
  readonly failed: (entry: FailedRequest) => void;
  /** A part of a request failed, and is done again. */
  readonly repeated: (entry: FailedRequest) => void;
}

/** Counts a response: its status, its error code if it is an error, and the seconds until it was ready. */
export type Meter = (httpStatus: number, refusal: ErrorCode | undefined, seconds: number) => void;
