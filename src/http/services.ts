import type { BlockList } from 'node:net';
import type { HideApiKeys } from '../domain/access/hide-api-keys.ts';
import type { RateLimit } from '../domain/access/rate-limit.ts';
import type { CommandWriter } from '../domain/database/command-writer.ts';
import type { Database, DataVersion } from '../domain/database/database.ts';
import type { Reads } from '../domain/database/reads-and-commands.ts';
import type { ApiKeyUses } from './access/api-key-uses.ts';
import type { Authenticate } from './access/authenticate.ts';
import type { MinuteLimit } from './access/minute-limit.ts';
import type { LimitRate } from './access/rate-limit.ts';
import type { ResponseCache } from './answer/response-cache.ts';
import type { SearchInTurn } from './answer/search-turns.ts';
import type { LimitTests } from './answer/test-limit.ts';
import type { WriteOnce } from './answer/write-once.ts';
import type { SessionAuthentication } from './console/find-session.ts';
import type { SignInCounts } from './console/report-sign-in.ts';
import type { Feed } from './feed/feed.ts';
import type { Operation } from './operation.ts';
import type { ReadJson } from './request/read-json.ts';
import type { ReportToLog, RequestContext } from './request-context.ts';
import type { Meter, RequestLog } from './request-log.ts';
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

/** The services of the steps of an operation. `createEndpoints` makes those that are listed here. */
export interface PipelineServices extends Services {
  readonly authenticate: Authenticate;
  readonly limitRate: LimitRate;
  readonly readJson: ReadJson;
  readonly writeOnce: WriteOnce;
  readonly searchInTurn: SearchInTurn;
  readonly limitTests: LimitTests;
  readonly limitAudited: MinuteLimit;
  /** Logs the error that ended a response after its start. */
  readonly reportFault: ReportToLog;
  /** Logs an error after which a part of a request is done again. */
  readonly reportRepeated: ReportToLog;
  /** Logs how many records a response has. Undefined if reads are not logged. */
  readonly reportRead: ((context: RequestContext, recordCount: number) => void) | undefined;
}
