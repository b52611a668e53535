import type { BlockList } from 'node:net';
import type { HideApiKeys } from '../domain/access/hide-api-keys.ts';
import type { RateLimit } from '../domain/access/rate-limit.ts';
import type { CommandWriter } from '../storage/contract/command-writer.ts';
import type { Database, DataVersion } from '../storage/contract/database.ts';
import type { Reads } from '../storage/contract/reads-and-commands.ts';
import type { ApiKeyUses } from './access/api-key-uses.ts';
import type { Authenticate } from './access/authenticate.ts';
import type { AdmitRows, LimitRate, MinuteLimit, SearchInTurn, Slots } from './access/limits.ts';
import type { ResponseCache } from './answer/response-cache.ts';
import type { SessionAuthentication } from './console/find-session.ts';
import type { ErrorCode } from './failure.ts';
import type { Feed } from './feed/feed.ts';
import type { Operation } from './operation.ts';
import type { WriteOnce } from './request/idempotency.ts';
import type { ReadJson } from './request/read-json.ts';
import type {
  AuthenticatedContext,
  Meter,
  ReportToLog,
  RequestContext,
} from './request-context.ts';
import type { CorsOrigins } from './response-policy.ts';
import type { WebhookServices } from './webhook-services.ts';

/** Services that `createApp` receives and the steps of an operation use. */
interface Services {
  readonly database: Reads & CommandWriter & Pick<Database, 'standbyReads' | 'readsWait'>;
  readonly uses: ApiKeyUses;
  readonly responseCache: ResponseCache;
  readonly feed: Feed;
  readonly webhooks: WebhookServices;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Milliseconds of a clock that is never set. */
  readonly steadyNow: () => number;
  /** Aborts when the server stops, so that streams and waiting requests end. */
  readonly stopping: AbortSignal;
  /** Hides API keys in input before a message or the log repeats it. */
  readonly hideApiKeys: HideApiKeys;
}

/** Counts of sign-ins. */
export interface SignInCounts {
  ok: number;
  refused: number;
}

/** The configuration of the service, and what it uses. */
export interface AppOptions extends Services, SessionAuthentication {
  readonly database: Services['database'] & DataVersion;
  readonly operations: readonly Operation[];
  /** The limit of callers that have none of their own. Undefined for no limit. */
  readonly rateLimit: RateLimit | undefined;
  /** Undefined if the console is off. */
  readonly console: { readonly signIns: SignInCounts } | undefined;
  readonly corsOrigins: CorsOrigins;
  readonly newRequestId: () => string;
  /** How long a body may take to arrive. */
  readonly bodySecondsMax: number;
  /** Whether the server drains: it still answers, and accepts no more connections. */
  readonly isDraining: () => boolean;
  readonly log: RequestLog;
  /** Proxies whose `X-Forwarded-For` is trusted. */
  readonly trustedProxies: BlockList | undefined;
  /** Returns the meter of one operation, or of all other requests. Undefined if the server has no metrics. */
  readonly meterOf: ((operationId: string | undefined) => Meter) | undefined;
}

/** A request for an operation, after authentication. */
export interface OperationRequest<Kind extends Operation = Operation> {
  readonly context: AuthenticatedContext;
  readonly services: PipelineServices;
  readonly operation: Kind;
}

/** The services of the steps of an operation. `createEndpoints` makes those that are listed here. */
export interface PipelineServices extends Services {
  readonly authenticate: Authenticate;
  readonly limitRate: LimitRate;
  readonly admitRows: AdmitRows;
  readonly readJson: ReadJson;
  readonly writeOnce: WriteOnce;
  readonly searchInTurn: SearchInTurn;
  readonly testSlots: Slots;
  readonly limitAudited: MinuteLimit;
  /** Logs the error that ended a response after its start. */
  readonly reportFault: ReportToLog;
  /** Logs an error after which a part of a request is done again. */
  readonly reportRepeated: ReportToLog;
  /** Logs how many records a response has. Undefined if reads are not logged. */
  readonly reportRead: ((context: RequestContext, recordCount: number) => void) | undefined;
}

/** What is known about a request when the log names it. */
export interface LoggedRequest {
  readonly requestId: string;
  readonly method: string;
  readonly path: string;
  /** The address of the client, if it is known. */
  readonly address?: string | undefined;
  /** The key of the caller. It is 0 for the operator's own key. */
  readonly apiKeyId?: number | undefined;
  /** The session of the console, if the request has one. */
  readonly sessionId?: string | undefined;
  readonly workspace?: string | undefined;
}

interface AnsweredRequest extends LoggedRequest {
  readonly httpStatus: number;
  /** The error code of the response. Undefined if it is no error. */
  readonly code: ErrorCode | undefined;
  readonly milliseconds: number;
}

interface ReadRequest extends LoggedRequest {
  /** How many records the response has. Of a stream, it is logged at the end. */
  readonly recordCount: number;
}

interface FailedRequest extends LoggedRequest {
  readonly error: unknown;
}

/** A refused sign-in, or a request of another site to the console. */
export interface RefusedConsoleRequest extends LoggedRequest {
  readonly refusal: 'sign-in' | 'origin';
  /** A word that repeats no input. */
  readonly reason: string;
}

/** Logs that a request was refused, and why, in a word. */
export type ReportRefusal = (
  context: RequestContext,
  refusal: RefusedConsoleRequest['refusal'],
  reason: string,
) => void;

export interface RequestLog {
  readonly refused: (entry: RefusedConsoleRequest) => void;
  /** Undefined if requests are not logged, which saves the time. */
  readonly answered: ((entry: AnsweredRequest) => void) | undefined;
  /** Undefined if reads are not logged. */
  readonly read: ((entry: ReadRequest) => void) | undefined;
  readonly failed: (entry: FailedRequest) => void;
  /** A part of a request failed, and is done again. */
  readonly repeated: (entry: FailedRequest) => void;
}
