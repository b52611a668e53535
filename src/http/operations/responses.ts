import type { z } from 'zod';
import type { Failure } from '../answer/answer.ts';
import type { DeclaredSuccess } from '../operation.ts';

// The responses that operations declare.

export function ok(description: string, schema: z.ZodType, example: unknown): DeclaredSuccess {
  return { httpStatus: 200, description, headers: [], content: { schema, example } };
}

/** A page of a list. */
export function okPage(description: string, schema: z.ZodType, example: unknown): DeclaredSuccess {
  return { httpStatus: 200, description, headers: ['NextLink'], content: { schema, example } };
}

export function created(description: string, schema: z.ZodType, example: unknown): DeclaredSuccess {
  return { httpStatus: 201, description, headers: ['Location'], content: { schema, example } };
}

export function noContent(description: string): DeclaredSuccess {
  return { httpStatus: 204, description, headers: [] };
}

/** For commands that have only the common refusals. */
export function noOtherRefusal(refusal: never): Failure {
  throw new Error(`No response for the refusal ${refusal}`);
}
