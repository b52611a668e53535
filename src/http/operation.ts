import type { z } from 'zod';
import type { Scope } from '../domain/access/api-key.ts';
import type {
  CommandInput,
  CommandName,
  CommandOk,
  CommandRefusal,
} from '../domain/database/commands.ts';
import type { Precondition } from '../domain/database/precondition.ts';
import type { Reads } from '../domain/database/registry.ts';
import type { Awaitable } from '../domain/values/awaitable.ts';
import type { Int64 } from '../domain/values/int64.ts';
import type { ErrorCode, Failure } from './answer/answer.ts';
import type { FeedReads } from './feed/feed.ts';
import type { DocumentedHeader } from './openapi/headers.ts';

/** Checked input: the declared parameters and body, and whose request it is. */
export interface OperationInput<Path, Query, Body> {
  readonly path: Path;
  readonly query: Query;
  readonly body: Body;
  readonly workspaceId: Int64;
  /** The scopes of the caller, among them that of the operation. */
  readonly scopes: readonly Scope[];
  /** Public address of the service, ending in `/v1`, for links; a path where no address is known. */
  readonly baseUrl: string;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** What an operation returns. */
export interface OperationSuccess {
  /** The status of the first declared success, unless given. */
  readonly httpStatus?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** What `JSON.stringify` makes the body of, or JSON text. */
  readonly body?: object | string;
  /** The path of a created record, below the public address. It becomes `Location`. */
  readonly location?: string;
  /** The path of the next page, below the public address. It becomes `Link`. */
  readonly next?: string | undefined;
}

export interface PollSuccess extends OperationSuccess {
  /** There is nothing yet, so that a client may wait. */
  readonly isEmpty: boolean;
  /** Up to where it was looked, and where to go on from. */
  readonly position: number;
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
export const tags = {
  animals: 'The animals offered in the store.',
  categories: 'What the `categoryId` of animals stands for.',
  store: 'Orders for animals, and the number of animals of each status.',
  events: 'Every change of animals, orders and categories, in order.',
} as const;
export type Tag = keyof typeof tags;

export type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';

/** An answer that is a success, as the document shows it. */
export interface DeclaredSuccess {
  readonly httpStatus: 200 | 201 | 204;
  readonly description: string;
  readonly headers: readonly DocumentedHeader[];
  /** Left out where there is no body. */
  readonly content?: {
    /** `application/json` unless it is said. */
    readonly mediaType?: string;
    readonly schema: z.ZodType;
    readonly example: unknown;
  };
}

/** What all operations declare, those of the console too. */
export interface OperationBase {
  readonly operationId: string;
  readonly method: Method;
  /** Relative to the base address, with `{name}` for each member of `pathParameters`. */
  readonly path: string;
  readonly summary: string;
  /** What is not stable may still change, and says so; left out for what is stable. */
  readonly stability?: 'beta' | 'experimental';
  readonly deprecation?: OperationDeprecation;
  /** What the operation itself can answer; what the pipeline can, is derived. */
  readonly errors: readonly ErrorCode[];
}

/** An operation of the published interface. The console can call it with a session. */
interface PublishedBase<Path extends z.ZodObject, Query extends z.ZodObject> extends OperationBase {
  readonly audience: 'clients';
  readonly access: 'api_key';
  readonly tag: Tag;
  readonly description: string;
  readonly scope: Scope;
  /** Answers with one record, whose JSON its strong `ETag` identifies. */
  readonly isRecord?: boolean;
  /** What does not match these names no resource: 404 `not_found`. */
  readonly pathParameters?: Path;
  readonly queryParameters?: Query;
  readonly successes: readonly [DeclaredSuccess, ...DeclaredSuccess[]];
}

/** Changes nothing, and may be answered 304. */
export interface ReadOperation<
  Path extends z.ZodObject = z.ZodObject,
  Query extends z.ZodObject = z.ZodObject,
> extends PublishedBase<Path, Query> {
  readonly kind: 'read';
  /**
   * Of an answer that is made of a workspace's records alone: whether it is worth to be cached. It is given again until
   * one of them changes.
   */
  isCacheable?(query: z.infer<Query>): boolean;
  handle(
    input: OperationInput<z.infer<Path>, z.infer<Query>, undefined>,
    reads: Reads,
  ): Awaitable<OperationSuccess | Failure>;
}

/** Runs one command, which is done once for each `Idempotency-Key`. */
export interface WriteOperation<
  Path extends z.ZodObject = z.ZodObject,
  Query extends z.ZodObject = z.ZodObject,
  Body extends z.ZodObject | undefined = z.ZodObject | undefined,
  Name extends CommandName = CommandName,
> extends PublishedBase<Path, Query> {
  readonly kind: 'write';
  readonly requestBody: Body;
  /** Faults of a body that its schema cannot tell, to stand beside those that it can. `body` is not checked. */
  bodyFaults?(body: Readonly<Record<string, unknown>>, path: z.infer<Path>): readonly string[];
  /** Bodies that may be sent, by name. */
  readonly requestExamples?: Readonly<Record<string, { summary: string; value: unknown }>>;
  /** Changes one record, of which `If-Match` and `If-None-Match` may demand something; else they are ignored. */
  readonly takesPrecondition?: boolean;
  /**
   * Of a patch: the record as it is. The patch `{}` without an `Idempotency-Key` is answered with it and runs no command, so
   * that it takes no place among the writes and works where nothing can be written.
   */
  readUnchanged?(
    input: WriteInput<Path, Query, Body>,
    reads: Reads,
  ): Awaitable<CommandOk<Name> | Failure>;
  readonly command: Name;
  commandInput(
    input: WriteInput<Path, Query, Body>,
    precondition: Precondition,
  ): CommandInput<Name>;
  answer(ok: CommandOk<Name>, input: WriteInput<Path, Query, Body>): OperationSuccess;
  /** `about` is the id of the record that stands in the way. */
  refuse(
    refusal: CommandRefusal<Name>,
    input: WriteInput<Path, Query, Body>,
    about: Int64 | undefined,
  ): Failure;
}

type WriteInput<
  Path extends z.ZodObject,
  Query extends z.ZodObject,
  Body extends z.ZodObject | undefined,
> = OperationInput<
  z.infer<Path>,
  z.infer<Query>,
  Body extends z.ZodType ? z.infer<Body> : undefined
>;

/** Answers with what came after a position, of which nothing is cached; at once, or when there is something. */
export interface PollOperation<
  Path extends z.ZodObject = z.ZodObject,
  Query extends z.ZodObject = z.ZodObject,
> extends PublishedBase<Path, Query> {
  readonly kind: 'poll';
  /** For how long the client would wait. */
  secondsToWait(query: z.infer<Query>): number;
  /** `from` is the position of the look before, for a client that waits. */
  handle(
    input: OperationInput<z.infer<Path>, z.infer<Query>, undefined>,
    feed: FeedReads,
    from?: number,
  ): Awaitable<PollSuccess | Failure>;
}

/** Where a stream comes from, in the format of server-sent events. */
export interface StreamSource {
  /** What has come since it was asked last, perhaps nothing; or that it cannot go on. */
  next(): Awaitable<StreamPart | 'ended'>;
  /** What is sent instead, where nothing has come for a while. */
  beat(): string;
}

export interface StreamPart {
  readonly text: string;
  /** Whether this is all there is, so that it is time to wait. */
  readonly isLast: boolean;
}

/** Answers with server-sent events, which go on. */
export interface StreamOperation<
  Path extends z.ZodObject = z.ZodObject,
  Query extends z.ZodObject = z.ZodObject,
> extends PublishedBase<Path, Query> {
  readonly kind: 'stream';
  /** `lastEventId` is the header of a client that lost its stream. */
  open(
    input: OperationInput<z.infer<Path>, z.infer<Query>, undefined>,
    feed: FeedReads,
    lastEventId: string | null,
  ): Awaitable<StreamSource | Failure>;
}

/**
 * An operation of the published interface. Routes, checks, scopes, `Allow`, CORS and the document derive from this and from
 * nothing else.
 */
export type Operation = ReadOperation | WriteOperation | PollOperation | StreamOperation;

export function takesPrecondition(operation: Operation): boolean {
  return operation.kind === 'write' && operation.takesPrecondition === true;
}

// Each infers the types of an operation's input from its declaration.

const published = { audience: 'clients', access: 'api_key' } as const;
type Derived = 'kind' | 'audience' | 'access';

export function defineRead<Path extends z.ZodObject, Query extends z.ZodObject>(
  declaration: Omit<ReadOperation<Path, Query>, Derived>,
): ReadOperation<Path, Query> {
  return { kind: 'read', ...published, ...declaration };
}

export function defineWrite<
  Path extends z.ZodObject,
  Query extends z.ZodObject,
  Body extends z.ZodObject | undefined,
  Name extends CommandName,
>(
  declaration: Omit<WriteOperation<Path, Query, Body, Name>, Derived>,
): WriteOperation<Path, Query, Body, Name> {
  return { kind: 'write', ...published, ...declaration };
}

export function definePoll<Path extends z.ZodObject, Query extends z.ZodObject>(
  declaration: Omit<PollOperation<Path, Query>, Derived>,
): PollOperation<Path, Query> {
  return { kind: 'poll', ...published, ...declaration };
}

export function defineStream<Path extends z.ZodObject, Query extends z.ZodObject>(
  declaration: Omit<StreamOperation<Path, Query>, Derived>,
): StreamOperation<Path, Query> {
  return { kind: 'stream', ...published, ...declaration };
}
