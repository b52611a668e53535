import type { BlockList } from 'node:net';
import type { z } from 'zod';
import type { Environment } from '../../domain/access/api-key.ts';
import type { CommandWriter } from '../../domain/database/commands.ts';
import type { Reads } from '../../domain/database/reads.ts';
import type { HideApiKeys } from '../../domain/echo.ts';
import { andThen } from '../../domain/values/awaitable.ts';
import type { ApiKeyUses } from '../access/api-key-uses.ts';
import type { FindApiKey } from '../access/authenticate.ts';
import { type Answer, type Failure, fail, isFailure } from '../answer/answer.ts';
import type { PublicUrls } from '../public-urls.ts';
import { readBody } from '../request/read-input.ts';
import { readJsonBody } from '../request/read-json.ts';
import type { RequestContext, Responder } from '../request-context.ts';
import { type FoundSession, notSignedIn, type Sessions } from './find-session.ts';
import type { ReportRefusal } from './same-origin.ts';

/** How often somebody signed in, or was refused. */
export interface SignInCounts {
  ok: number;
  refused: number;
}

/** What the endpoints of the console work with. */
export interface ConsoleServices {
  readonly database: Reads & CommandWriter;
  readonly environment: Environment;
  readonly now: () => number;
  /** Milliseconds of a clock that is never set. */
  readonly steadyNow: () => number;
  readonly bodySecondsMax: number;
  readonly hideApiKeys: HideApiKeys;
  readonly trustedProxies: BlockList | undefined;
  readonly publicUrls: PublicUrls;
  readonly signIns: SignInCounts;
  readonly reportRefusal: ReportRefusal;
  readonly findApiKey: FindApiKey;
  readonly sessions: Sessions;
  readonly uses: Pick<ApiKeyUses, 'noteSessionActivity'>;
}

/** Answers somebody who is signed in. */
export type SessionResponder = (
  context: RequestContext,
  found: FoundSession,
) => Answer | Failure | Promise<Answer | Failure>;

export function forSession({ sessions }: ConsoleServices, respond: SessionResponder): Responder {
  return (context) =>
    andThen(sessions.ofRequest(context.request), (found) => {
      if (found === undefined) return notSignedIn;
      context.caller = found.caller;
      return respond(context, found);
    });
}

/** What whoever signed in with a key is told. API keys make no keys, and have one workspace. */
export const ownersOnly = fail(
  'insufficient_scope',
  'Only who signed in with a link from the command line (animal-store console) may do this',
);

interface ConsoleBodyRules {
  /** Faults that the schema cannot express. */
  readonly faultsOf?: (body: Readonly<Record<string, unknown>>) => readonly string[];
  /** The limit of every operation, unless given. */
  readonly bytesMax?: number;
}

/** Reads and checks a body, as operations do theirs. */
export async function readConsoleBody<Schema extends z.ZodObject>(
  { request }: RequestContext,
  { bodySecondsMax, hideApiKeys }: ConsoleServices,
  schema: Schema,
  { faultsOf = () => [], bytesMax }: ConsoleBodyRules = {},
): Promise<z.infer<Schema> | Failure> {
  const json = await readJsonBody(request, bodySecondsMax, bytesMax);
  if (isFailure(json)) return json;
  return readBody(schema, json.value, hideApiKeys, { isPatch: false, faultsOf });
}

/** The same for somebody who is signed in, and must still be when the body has arrived. */
export async function readSessionBody<Schema extends z.ZodObject>(
  context: RequestContext,
  services: ConsoleServices,
  schema: Schema,
): Promise<z.infer<Schema> | Failure> {
  const body = await readConsoleBody(context, services, schema);
  if (isFailure(body)) return body;
  return (await services.sessions.ofRequest(context.request)) === undefined ? notSignedIn : body;
}

export function jsonAnswer(
  httpStatus: number,
  value: unknown,
  headers: Readonly<Record<string, string>> = {},
): Answer {
  return {
    httpStatus,
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(value),
  };
}

/** A time as text; null where it is never. */
export function timeOrNull(milliseconds: number | undefined): string | null {
  return milliseconds === undefined ? null : new Date(milliseconds).toISOString();
}
