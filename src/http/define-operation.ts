import type { z } from 'zod';
import type { CommandName } from '../storage/contract/command-writer.ts';
import type { Failure } from './failure.ts';
import type {
  ActionOperation,
  DeclaredSuccess,
  ReadOperation,
  StreamOperation,
  WriteOperation,
} from './operation.ts';

// Each infers the types of an operation's input from its declaration. The declaration has no kind and, unless it is a write, no
// method, because these come from the function.

export function defineRead<Path extends z.ZodObject, Query extends z.ZodObject>(
  declaration: Omit<ReadOperation<Path, Query>, 'kind' | 'method'>,
): ReadOperation<Path, Query> {
  return { kind: 'read', method: 'GET', ...declaration };
}

export function defineWrite<
  Path extends z.ZodObject,
  Query extends z.ZodObject,
  Body extends z.ZodObject | undefined,
  Name extends CommandName,
>(
  declaration: Omit<WriteOperation<Path, Query, Body, Name>, 'kind'>,
): WriteOperation<Path, Query, Body, Name> {
  return { kind: 'write', ...declaration };
}

export function defineAction<Path extends z.ZodObject, Query extends z.ZodObject>(
  declaration: Omit<ActionOperation<Path, Query>, 'kind' | 'method'>,
): ActionOperation<Path, Query> {
  return { kind: 'action', method: 'POST', ...declaration };
}

export function defineStream<Path extends z.ZodObject, Query extends z.ZodObject>(
  declaration: Omit<StreamOperation<Path, Query>, 'kind' | 'method'>,
): StreamOperation<Path, Query> {
  return { kind: 'stream', method: 'GET', ...declaration };
}

// The responses that operations declare.

export function ok(description: string, schema: z.ZodType, example: unknown): DeclaredSuccess {
  return { httpStatus: 200, description, content: { schema, example } };
}

export function created(description: string, schema: z.ZodType, example: unknown): DeclaredSuccess {
  return { httpStatus: 201, description, content: { schema, example } };
}

export function noContent(description: string): DeclaredSuccess {
  return { httpStatus: 204, description };
}

/** For commands that have only the common refusals. */
export function noOtherRefusal(refusal: never): Failure {
  throw new Error(`No response for the refusal ${refusal}`);
}
