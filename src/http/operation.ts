import type { z } from 'zod';
import type { Scope } from '../domain/access/api-key.ts';
import type { Precondition } from '../domain/precondition.ts';
import type { Awaitable } from '../domain/values/awaitable.ts';
import type { Context } from '../domain/values/context.ts';
import type { Int64 } from '../domain/values/int64.ts';
import type {
  CommandInput,
  CommandName,
  CommandOk,
  CommandRefusal,
  CommandWriter,
} from '../storage/contract/command-writer.ts';
import type { Reads } from '../storage/contract/reads-and-commands.ts';
import type { Caller } from './access/caller.ts';
import type { Slots } from './access/limits.ts';
import type { ErrorCode, Failure } from './failure.ts';
import type { FeedReads } from './feed/feed.ts';
import type { WebhookServices } from './webhook-services.ts';

export type Members = Record<string, unknown>;

/** Checked input: the declared parameters and body, and the caller. */
export interface OperationInput<Path = Members, Query = Members, Body = unknown> {
  readonly path: Path;
  readonly query: Query;
  readonly body: Body;
  readonly workspaceId: Int64;
  /** The scopes of the caller, among them that of the operation. */
  readonly scopes: readonly Scope[];
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** What an operation returns. */
export interface OperationSuccess {
  /** The status of the first declared success, unless given. */
  readonly httpStatus?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** The value of a JSON body, or JSON text. */
  readonly body?: object | string;
  /** How many records a body of JSON text has. */
  readonly recordCount?: number;
  /** The record that the `ETag` of a write identifies, if the body has other members. */
  readonly record?: object;
  /** The path of a created record, below the public address. It becomes `Location`. */
  readonly location?: string;
  /** The path of the next page, below the public address. It becomes `Link`. */
  readonly next?: string | undefined;
  /** Of a read that found nothing yet, for which a client can wait. */
  readonly readLater?: ReadLater | undefined;
}

/** Reads what has arrived since. A version at which the caller was woken lets it share what is read with the others. */
export type ReadLater = (
  context: Context,
  version: number | undefined,
) => Awaitable<OperationSuccess | Failure>;

/** The removal of an operation. Times are milliseconds since 1970. */
export interface OperationDeprecation {
  readonly deprecatedAt: number;
  /** From this moment on the operation answers 410. */
  readonly removedAt: number;
  /** Path of the operation to use instead. */
  readonly successorPath: string;
  /** The successor, as part of a sentence. */
  readonly successor: string;
}

/** The subject of operations. */
interface Tag {
  readonly name: string;
  readonly description: string;
}

type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';

/** A successful response, as in the document. */
export interface DeclaredSuccess {
  readonly httpStatus: 200 | 201 | 204;
  readonly description: string;
  /** Absent if the response has no body. */
  readonly content?: {
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
  readonly pathParameters?: z.ZodObject;
  readonly queryParameters?: z.ZodObject;
  /** Only writes and operations of the console have one. If it has an `id`, this must be that of the path. */
  readonly requestBody?: z.ZodObject | undefined;
  /** Faults of a body that its schema cannot express. Replaces the default check for records (`recordFaults`). */
  bodyFaults?(body: Members): readonly string[];
  /** Errors of the operation itself. Those of the pipeline are derived. */
  readonly errors?: readonly ErrorCode[];
}

/** An operation of the published interface. The console can call it with a session. */
interface PublishedBase<Path extends z.ZodObject, Query extends z.ZodObject> extends OperationBase {
  /** An operation that is not stable may still change, and its responses say so. Absent if it is stable. */
  readonly stability?: 'beta' | 'experimental';
  readonly deprecation?: OperationDeprecation;
  readonly tag: Tag;
  readonly description: string;
  /** Absent if any valid key may call it. The console, where an owner has no key, does not have it then. */
  readonly scope?: Scope;
  /** A path that does not match these is answered 404 `not_found`. */
  readonly pathParameters?: Path;
  /** What the one record is that the path names, for messages. A write of it obeys `If-Match` and `If-None-Match`. */
  readonly noun?: string;
  readonly queryParameters?: Query;
  readonly successes: readonly [DeclaredSuccess, ...DeclaredSuccess[]];
}

/** What reads can use beside the database. */
interface ReadServices {
  readonly caller: Caller;
  readonly feed: FeedReads;
}

/** Changes nothing. The response may be 304, unless it can wait. */
export interface ReadOperation<
  Path extends z.ZodObject = z.ZodObject,
  Query extends z.ZodObject = z.ZodObject,
> extends PublishedBase<Path, Query> {
  readonly kind: 'read';
  /**
   * Whether the response to a query is worth caching. Only for responses that depend on nothing but the records of a workspace: a
   * cached response is used until one of these changes.
   */
  isCacheable?(query: z.infer<Query>): boolean;
  /** The query parameter that makes the read a search. Few searches run at once. */
  readonly searchedBy?: string;
  /** For a read of what follows a position, at once or when something arrives: how long the client is ready to wait. */
  secondsToWait?(query: z.infer<Query>): number;
  handle(
    context: Context,
    input: OperationInput<z.infer<Path>, z.infer<Query>>,
    reads: Reads,
    services: ReadServices,
  ): Awaitable<OperationSuccess | Failure>;
}

/** Runs one command, at most once for each `Idempotency-Key`. */
export interface WriteOperation<
  Path extends z.ZodObject = z.ZodObject,
  Query extends z.ZodObject = z.ZodObject,
  Body extends z.ZodObject | undefined = z.ZodObject | undefined,
  Name extends CommandName = CommandName,
> extends PublishedBase<Path, Query> {
  readonly kind: 'write';
  /** Also the name of its command. */
  readonly operationId: Name;
  readonly requestBody?: Body;
  /** Examples of bodies, by name. */
  readonly requestExamples?: Readonly<Record<string, { summary: string; value: unknown }>>;
  /** Whether each change adds to the audit trail, so that one caller may make only some of them a minute. */
  readonly isAudited?: boolean;
  /**
   * Answers the patch `{}` without an `Idempotency-Key`, which then runs no command and also works while nothing can be written.
   */
  readUnchanged?(
    context: Context,
    input: WriteInput<Path, Query, Body>,
    reads: Reads,
    services: ReadServices,
  ): Awaitable<OperationSuccess | Failure>;
  commandInput(
    input: WriteInput<Path, Query, Body>,
    precondition: Precondition,
    services: Pick<OperationServices, 'webhooks' | 'database'>,
    context: Context,
  ): Awaitable<CommandInput<Name>>;
  /**
   * Without it, the response has no body. `ran` is the input of the command. It is undefined if the result was stored before, so
   * that a secret in the input is returned once.
   */
  answer?(
    ok: CommandOk<Name>,
    input: WriteInput<Path, Query, Body>,
    ran: CommandInput<Name> | undefined,
  ): OperationSuccess;
  /** The failure for a refusal of the command. `blockedBy` is the id of the record that prevented it. */
  refuse(
    refusal: Exclude<CommandRefusal<Name>, CommonRefusal>,
    input: WriteInput<Path, Query, Body>,
    blockedBy: Int64 | undefined,
  ): Failure;
}

/** Refusals that have the same failure in all operations. */
type CommonRefusal = 'no_such_workspace' | 'precondition_failed';

type WriteInput<
  Path extends z.ZodObject,
  Query extends z.ZodObject,
  Body extends z.ZodObject | undefined,
> = OperationInput<
  z.infer<Path>,
  z.infer<Query>,
  Body extends z.ZodType ? z.infer<Body> : undefined
>;

/** What operations work with, beside the feed. */
export interface OperationServices {
  readonly database: Reads & CommandWriter;
  readonly webhooks: WebhookServices;
  /** Of running tests of webhooks. */
  readonly testSlots: Slots;
  /** Aborts when the server stops. */
  readonly stopping: AbortSignal;
}

/** Does something outside the database, once for each request. It ignores an `Idempotency-Key`. */
export interface ActionOperation<
  Path extends z.ZodObject = z.ZodObject,
  Query extends z.ZodObject = z.ZodObject,
> extends PublishedBase<Path, Query> {
  readonly kind: 'action';
  readonly method: 'POST';
  /** How long it can take. */
  readonly secondsMax: number;
  handle(
    context: Context,
    input: OperationInput<z.infer<Path>, z.infer<Query>>,
    services: OperationServices,
  ): Awaitable<OperationSuccess | Failure>;
}

/** The source of a stream, in the format of server-sent events. */
export interface StreamSource {
  /** What has arrived since the last call at a data version, perhaps nothing. `ended` if the stream cannot continue. */
  next(context: Context, version?: number): Awaitable<StreamPart | 'ended'>;
  /** The text that keeps the connection open while nothing arrives. */
  heartbeat(): string;
}

export interface StreamPart {
  readonly text: string;
  readonly recordCount: number;
  /** Whether nothing more can be read now. */
  readonly isLast: boolean;
}

/** Returns server-sent events until the client or the server ends the stream. */
export interface StreamOperation<
  Path extends z.ZodObject = z.ZodObject,
  Query extends z.ZodObject = z.ZodObject,
> extends PublishedBase<Path, Query> {
  readonly kind: 'stream';
  /** `lastEventId` is the header of a client that reconnects. */
  open(
    context: Context,
    input: OperationInput<z.infer<Path>, z.infer<Query>>,
    feed: FeedReads,
    lastEventId: string | null,
  ): Awaitable<StreamSource | Failure>;
}

/**
 * An operation of the published interface. Routes, checks, scopes, `Allow`, CORS and the document derive from this and from
 * nothing else.
 */
export type Operation = ReadOperation | WriteOperation | ActionOperation | StreamOperation;

export function takesPrecondition({ kind, noun }: Operation): boolean {
  return kind === 'write' && noun !== undefined;
}

/** Whether the response has an `ETag` and may be 304. */
export function isConditional(operation: Operation): boolean {
  return operation.kind === 'read' && operation.secondsToWait === undefined;
}

/** Whether the response is one record, whose strong `ETag` identifies its JSON. A write returns its record or no body. */
export function answersRecord({ kind, noun, successes: [{ content }] }: Operation): boolean {
  return kind === 'write' ? content !== undefined : kind === 'read' && noun !== undefined;
}
