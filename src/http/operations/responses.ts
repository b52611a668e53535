import type { z } from 'zod';
import type { Failure } from '../answer/answer.ts';
import type { DeclaredSuccess } from '../operation.ts';

// The responses that operations declare.

export function ok(
  description: string,
  schema: z.ZodType,
  example: unknown,
  headers: DeclaredSuccess['headers'] = [],
): DeclaredSuccess {
  return { httpStatus: 200, description, headers, content: { schema, example } };
}

export function created(description: string, schema: z.ZodType, example: unknown): DeclaredSuccess {
  return { ...ok(description, schema, example, ['Location']), httpStatus: 201 };
}

export function noContent(description: string): DeclaredSuccess {
  return { httpStatus: 204, description, headers: [] };
}

/** For commands that have only the common refusals. */
export function noOtherRefusal(refusal: never): Failure {
  throw new Error(`No response for the refusal ${refusal}`);
}
