import type { AttemptResult, WebhookAttempt } from '../domain/webhook.ts';
import type { CheckTarget } from '../domain/webhook-target.ts';

/** Calls to the endpoints of webhooks. */
export interface WebhookServices {
  /** A new random secret to sign with. */
  newSecret(): string;
  readonly checkTarget: CheckTarget;
  /** Sends a signed request once. Rejects only if the signal is aborted. */
  send(attempt: WebhookAttempt, signal: AbortSignal): Promise<AttemptResult>;
}
