import type { ErrorCode } from './answer/answer.ts';

/** A request, as far as it is known when something is logged of it. */
export interface LoggedRequest {
  readonly requestId: string;
  readonly method: string;
  readonly path: string;
  /** Of the caller, where that is known. */
  readonly address?: string | undefined;
  /** Of a caller whose key was accepted; 0 for the key that the operator gave. */
  readonly apiKeyId?: number | undefined;
  /** Of the console, where the request came with one. */
  readonly sessionId?: string | undefined;
  readonly workspace?: string | undefined;
}

export interface AnsweredRequest extends LoggedRequest {
  readonly httpStatus: number;
  /** Why it was refused, where it was. */
  readonly code: ErrorCode | undefined;
  readonly milliseconds: number;
}

export interface FailedRequest extends LoggedRequest {
  readonly error: unknown;
}

/** A refused sign-in, or a request of another site to the console. */
export interface RefusedConsoleRequest extends LoggedRequest {
  readonly refusal: 'sign-in' | 'origin';
  /** A word, without anything that was sent. */
  readonly reason: string;
}

export interface RequestLog {
  readonly refused: (entry: RefusedConsoleRequest) => void;
  /** Undefined where nobody wants to know, which spares the work of telling. */
  readonly answered: ((entry: AnsweredRequest) => void) | undefined;
  readonly failed: (entry: FailedRequest) => void;
}

/** Counts an answer: why it was refused, where it was, and how long it took until it was ready to be sent. */
export type Meter = (httpStatus: number, refusal: ErrorCode | undefined, seconds: number) => void;
