import {
  DatabaseOutcomeUnknown,
  DatabaseUnavailable,
  DatabaseUnusable,
} from '../../domain/database/database-error.ts';

/** An error as plain data, for messages between threads. */
export interface EncodedError {
  readonly name: string;
  readonly message: string;
  readonly stack: string | undefined;
  readonly isFull: boolean;
}

export function encodeError(error: unknown): EncodedError {
  const { name, message, stack } = error instanceof Error ? error : new Error(String(error));
  return { name, message, stack, isFull: error instanceof DatabaseUnavailable && error.isFull };
}

/** The error with its original class and stack. */
export function decodeError({ name, message, stack, isFull }: EncodedError): Error {
  const error = new (classes[name] ?? Error)(message, { isFull });
  if (stack !== undefined) error.stack = stack;
  return error;
}

type ErrorClass = new (message: string, options: { readonly isFull: boolean }) => Error;

const classes: Readonly<Record<string, ErrorClass>> = {
  DatabaseUnavailable,
  DatabaseOutcomeUnknown,
  DatabaseUnusable,
};
