import type { Database } from '../domain/database.ts';
import type { HideApiKeys } from '../domain/error.ts';
import type { ApiKeyUses } from './api-key-uses.ts';
import type { Authenticate, Caller } from './authenticate.ts';
import type { IdempotentWrites } from './idempotency.ts';
import type { KeptAnswers } from './kept-answers.ts';
import type { Operation } from './operation.ts';
import type { RateLimiter } from './rate-limit.ts';

/** What becomes known of a request on its way, for its line in the log. */
export interface Seen {
  caller: Caller | undefined;
}

/** A request on its way through the pipeline. */
export interface Exchange {
  readonly request: Request;
  readonly pathParameters: Readonly<Record<string, string>>;
  /** What stands after the `?`. */
  readonly search: string;
  /** Public address of the service for links, ending in `/v1`. */
  readonly baseUrl: string;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** What this answer alone carries, whatever it turns out to be. */
  readonly headers: Record<string, string>;
  readonly seen: Seen;
}

export interface OperationExchange extends Exchange {
  readonly operation: Operation;
  /** Nobody, until authentication has spoken. */
  caller: Caller;
}

/** What the steps work with. */
export interface PipelineServices {
  readonly database: Database;
  readonly authenticate: Authenticate;
  readonly limitRate: RateLimiter;
  /** How long a body may take to arrive. */
  readonly bodySecondsMax: number;
  readonly uses: ApiKeyUses;
  readonly hideApiKeys: HideApiKeys;
  readonly kept: KeptAnswers;
  readonly idempotentWrites: IdempotentWrites;
}
