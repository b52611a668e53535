import type { z } from 'zod';
import type { Scope } from '../domain/api-key.ts';
import type { Awaitable, Database } from '../domain/database.ts';
import type { ErrorCode, Failure } from '../domain/error.ts';
import type { Int64 } from '../domain/int64.ts';
import type { Write } from './idempotency.ts';
import type { DocumentedHeader } from './openapi/headers.ts';

/** Checked input: the declared parameters and body, and whose request it is. */
export interface OperationInput<Path, Query, Body> {
  readonly path: Path;
  readonly query: Query;
  readonly body: Body;
  readonly workspaceId: Int64;
  /** Public address of the service, ending in `/v1`, for links; a path where no address is known. */
  readonly baseUrl: string;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** What handlers work with. */
export interface OperationServices {
  /** For reads. */
  readonly database: Database;
  /** For writes: each happens once where the request has an `Idempotency-Key`. */
  readonly write: Write;
}

export interface OperationSuccess {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
  /** Of a page: where the next one is, below the public address; undefined where it is the last. */
  readonly next?: string | undefined;
}

/** An operation that is going away, and what its answers say of that. Times are milliseconds since 1970. */
export interface OperationDeprecation {
  readonly deprecatedAt: number;
  /** From this moment on the operation answers 410. */
  readonly removedAt: number;
  /** Path of the operation to use instead. */
  readonly successorPath: string;
  /** What to use instead, as part of a sentence. */
  readonly successor: string;
}

/** What operations are about. */
export const tags = { animals: 'The animals offered in the store.' } as const;
export type Tag = keyof typeof tags;

/**
 * Everything there is to know about an operation. Routes, checks, scopes, `Allow`, CORS and the published
 * document all derive from this and from nothing else.
 */
export interface Operation<
  Path extends z.ZodObject = z.ZodObject,
  Query extends z.ZodObject = z.ZodObject,
  Body extends z.ZodObject | undefined = z.ZodObject | undefined,
> {
  readonly operationId: string;
  /** A read may be answered 304; a write is done once for each `Idempotency-Key`. */
  readonly kind: 'read' | 'write';
  readonly tag: Tag;
  readonly method: 'GET' | 'POST';
  /** Relative to the base address, with `{name}` for each member of `pathParameters`. */
  readonly path: string;
  readonly summary: string;
  readonly description: string;
  readonly scope: Scope;
  readonly deprecation?: OperationDeprecation;
  /** What does not match these names no resource: 404 `not_found`. */
  readonly pathParameters: Path;
  readonly queryParameters: Query;
  readonly requestBody: Body;
  /** Bodies that may be sent, by name. */
  readonly requestExamples?: Readonly<Record<string, { summary: string; value: unknown }>>;
  readonly success: {
    readonly httpStatus: 200 | 201;
    readonly description: string;
    readonly schema: z.ZodType;
    readonly example: unknown;
    readonly headers: readonly DocumentedHeader[];
  };
  /**
   * For reads of a workspace's animals alone: whether an answer is worth keeping. It is given again while
   * the animals stay as they are.
   */
  keeps?(query: z.infer<Query>): boolean;
  /** What the operation itself can answer; what the pipeline can, is derived. */
  readonly errors: readonly ErrorCode[];
  handle(
    input: OperationInput<
      z.infer<Path>,
      z.infer<Query>,
      Body extends z.ZodType ? z.infer<Body> : undefined
    >,
    services: OperationServices,
  ): Awaitable<OperationSuccess | Failure>;
}

/** Infers the types of an operation's input from its declaration. */
export function defineOperation<
  Path extends z.ZodObject,
  Query extends z.ZodObject,
  Body extends z.ZodObject | undefined,
>(operation: Operation<Path, Query, Body>): Operation<Path, Query, Body> {
  return operation;
}
