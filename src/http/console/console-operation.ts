import type { z } from 'zod';
import type { Scope } from '../../domain/access/api-key.ts';
import type { Awaitable } from '../../domain/values/awaitable.ts';
import type { Context } from '../../domain/values/context.ts';
import type { FindApiKey } from '../access/authenticate.ts';
import type { Caller } from '../access/caller.ts';
import type { MinuteLimit } from '../access/limits.ts';
import type { Failure } from '../failure.ts';
import type { OperationBase } from '../operation.ts';
import type { BodyLimits } from '../request/read-json.ts';
import type { AppOptions, PipelineServices } from '../services.ts';
import type { Sessions, ValidSession } from './find-session.ts';
import type { PetPositions } from './pet-positions.ts';
import type { CookieOwner } from './session-cookie.ts';

/** What the operations of the console work with. */
export interface ConsoleServices extends PipelineServices, CookieOwner {
  readonly trustedProxies: AppOptions['trustedProxies'];
  readonly findApiKey: FindApiKey;
  readonly limitSignIns: MinuteLimit;
  readonly sessions: Sessions;
  readonly petPositions: PetPositions;
}

/** Needs no session, a session, or the session of an owner. */
type ConsoleAccess = 'none' | 'session' | 'owner';

interface ConsoleSuccess<Value> {
  /** The body; undefined for none. */
  readonly value?: Value;
  /** The session that began or ended, for the log. */
  readonly caller?: Caller | undefined;
  /** The cookie of the session from now on. An empty token removes it. */
  readonly cookie?: { readonly token: string; readonly seconds: number };
}

/**
 * An operation that only the console calls. It can run several commands. It ignores an `Idempotency-Key`: its answer can contain
 * a secret, and the service stores no secret to send it again.
 */
export interface ConsoleOperation<
  Path extends z.ZodObject = z.ZodObject,
  Query extends z.ZodObject = z.ZodObject,
  Body extends z.ZodObject | undefined = z.ZodObject | undefined,
  Value extends z.ZodType | undefined = z.ZodType | undefined,
  Access extends ConsoleAccess = ConsoleAccess,
> extends OperationBase {
  readonly kind: 'console';
  readonly access: Access;
  /** The session needs it. */
  readonly scope?: Scope;
  /** Whether it counts with the rate limit of the caller. */
  readonly isLimited?: true;
  readonly pathParameters?: Path;
  readonly queryParameters?: Query;
  readonly requestBody?: Body;
  /** Those of every operation, unless given. */
  readonly bodyLimits?: Partial<BodyLimits>;
  readonly success: { readonly httpStatus: 200 | 201 | 204; readonly schema?: Value };
  handle(
    context: Context,
    /** Checked input, and the request as far as it is about sessions. */
    input: {
      readonly path: z.infer<Path>;
      readonly query: z.infer<Query>;
      readonly body: Body extends z.ZodType ? z.infer<Body> : undefined;
      readonly session: Access extends 'none' ? undefined : ValidSession;
      /** The tokens of all cookies by the name of the session's. */
      readonly tokens: readonly string[];
      /** The address of the client, if it is known. */
      readonly address: string | undefined;
      /** Milliseconds since 1970. */
      readonly now: number;
      readonly requestId: string;
      /** Of the response. */
      readonly headers: Record<string, string>;
    },
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
  declaration: Omit<ConsoleOperation<Path, Query, Body, Value, Access>, 'kind'>,
): ConsoleOperation<Path, Query, Body, Value, Access> {
  return { kind: 'console', ...declaration };
}
