import {
  DatabaseOutcomeUnknown,
  DatabaseUnavailable,
} from '../../domain/database/database-error.ts';
import { type Awaitable, andThen } from '../../domain/values/awaitable.ts';
import { CallEnded } from '../../domain/values/context.ts';
import { errorHttpStatus, type Failure, fail, isFailure } from '../failure.ts';

/** The answer to a request, without the headers that all responses have. Header names are lower case. */
export interface Answer {
  readonly httpStatus: number;
  readonly headers: Readonly<Record<string, string>>;
  /** An async iterable is streamed: each text is sent when the client has read the one before it. */
  readonly body: string | Uint8Array | AsyncIterable<string> | null;
  /** This object will be sent many times, so its response is prepared once. */
  readonly reused?: boolean;
}

/** The one place that writes an error: exactly the three documented members, and no cache stores it. */
export function errorAnswer(failure: Failure): Answer {
  const { code, message, headers } = failure;
  const httpStatus = errorHttpStatus[code];
  return {
    httpStatus,
    headers: {
      'content-type': 'application/json',
      'cache-control': 'no-store',
      ...headers,
    },
    body: JSON.stringify({ code, message, status: httpStatus }),
  };
}

/** Adds the header that says that a successful request was handled strictly. */
export function notePreference(
  { headers }: { readonly headers: Record<string, string> },
  { strict }: { readonly strict: boolean },
  answer: Awaitable<Answer | Failure>,
): Awaitable<Answer | Failure> {
  if (!strict) return answer;
  return andThen(answer, (found) => {
    if (!isFailure(found)) headers['preference-applied'] = 'handling=strict';
    return found;
  });
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

const soon = { 'retry-after': '1' };

const unavailable = fail('unavailable', 'Storage is not available; retry later', soon);

const full = fail(
  'unavailable',
  'Storage is full; nothing can be written until space is free',
  soon,
);

const tooSlow = fail('unavailable', 'The request took too long; retry later', soon);

const outcomeUnknown = fail(
  'outcome_unknown',
  'The write timed out or was interrupted, and may have been done; retry with the same Idempotency-Key',
  soon,
);
