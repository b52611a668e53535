import {
  DatabaseOutcomeUnknown,
  DatabaseUnavailable,
  DatabaseUnusable,
} from '../../domain/database/database-error.ts';

/** An error as plain data, for messages between threads. */
export interface EncodedError {
  readonly kind: 'unavailable' | 'full' | 'outcome_unknown' | 'unusable' | 'fault';
  readonly message: string;
  readonly stack: string | undefined;
}

export function encodeError(error: unknown): EncodedError {
  const { message, stack } = error instanceof Error ? error : new Error(String(error));
  return { kind: kindOf(error), message, stack };
}

function kindOf(error: unknown): EncodedError['kind'] {
  if (error instanceof DatabaseUnavailable) return error.isFull ? 'full' : 'unavailable';
  if (error instanceof DatabaseOutcomeUnknown) return 'outcome_unknown';
  return error instanceof DatabaseUnusable ? 'unusable' : 'fault';
}

/** The error with its original stack. */
export function decodeError({ kind, message, stack }: EncodedError): Error {
  const error = createError(kind, message);
  if (stack !== undefined) error.stack = stack;
  return error;
}

function createError(kind: EncodedError['kind'], message: string): Error {
  if (kind === 'unavailable') return new DatabaseUnavailable(message);
  if (kind === 'full') return new DatabaseUnavailable(message, { isFull: true });
  if (kind === 'outcome_unknown') return new DatabaseOutcomeUnknown(message);
  return kind === 'unusable' ? new DatabaseUnusable(message) : new Error(message);
}
