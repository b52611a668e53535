import type { z } from 'zod';
import type { Awaitable } from '../../domain/values/awaitable.ts';
import type { Caller } from '../access/caller.ts';
import type { Failure } from '../answer/answer.ts';
import type { OperationBase } from '../operation.ts';
import type { ConsoleServices } from './console-services.ts';
import type { FoundSession } from './find-session.ts';

/** Needs no session, a session, or the session of an owner. */
type ConsoleAccess = 'none' | 'session' | 'owner';

/** Checked input, and the request as far as it is about sessions. */
export interface ConsoleInput<Path, Query, Body, Access extends ConsoleAccess> {
  readonly path: Path;
  readonly query: Query;
  readonly body: Body;
  readonly session: Access extends 'none' ? undefined : FoundSession;
  /** The tokens of all cookies by the name of the session's. */
  readonly tokens: readonly string[];
  /** The address of the client, if it is known. */
  readonly address: string | undefined;
  /** Milliseconds since 1970. */
  readonly now: number;
}

export interface ConsoleSuccess<Value> {
  /** The body; undefined for none. */
  readonly value?: Value;
  /** The session that began or ended, for the log. */
  readonly caller?: Caller | undefined;
  /** The cookie of the session from now on. An empty token removes it. */
  readonly cookie?: { readonly token: string; readonly seconds: number };
}

/**
 * Is called by the console alone. It can run several commands. It ignores an `Idempotency-Key`, because the service stores no
 * secret to send it again.
 */
export interface ConsoleOperation<
  Path extends z.ZodObject = z.ZodObject,
  Query extends z.ZodObject = z.ZodObject,
  Body extends z.ZodObject | undefined = z.ZodObject | undefined,
  Value extends z.ZodType | undefined = z.ZodType | undefined,
  Access extends ConsoleAccess = ConsoleAccess,
> extends OperationBase {
  readonly kind: 'console';
  readonly audience: 'console';
  readonly access: Access;
  readonly pathParameters?: Path;
  readonly queryParameters?: Query;
  readonly requestBody?: Body;
  /** The limit of every operation, unless given. */
  readonly bodyBytesMax?: number;
  /** Faults of a body that its schema cannot express. */
  bodyFaults?(body: Readonly<Record<string, unknown>>): readonly string[];
  readonly success: { readonly httpStatus: 200 | 201 | 204; readonly schema?: Value };
  handle(
    input: ConsoleInput<
      z.infer<Path>,
      z.infer<Query>,
      Body extends z.ZodType ? z.infer<Body> : undefined,
      Access
    >,
    services: ConsoleServices,
  ): Awaitable<ConsoleSuccess<Value extends z.ZodType ? z.infer<Value> : undefined> | Failure>;
}

type None = z.ZodObject<Record<never, never>>;

/** Infers the types of the input and the answer from the declaration. */
export function defineConsole<
  Access extends ConsoleAccess,
  Path extends z.ZodObject = None,
  Query extends z.ZodObject = None,
  Body extends z.ZodObject | undefined = undefined,
  Value extends z.ZodType | undefined = undefined,
>(
  declaration: Omit<ConsoleOperation<Path, Query, Body, Value, Access>, 'kind' | 'audience'>,
): ConsoleOperation<Path, Query, Body, Value, Access> {
  return { kind: 'console', audience: 'console', ...declaration };
}
