import { randomBytes } from 'node:crypto';
import packageJson from '../../package.json' with { type: 'json' };
import type { AllowedTargets } from '../domain/webhook-target.ts';
import type { WebhookServices } from '../http/webhook-services.ts';
import { createSend } from '../webhooks/send.ts';
import { makeWebhookSecret } from '../webhooks/signature.ts';
import { createJudgeTarget } from '../webhooks/target.ts';
import { createCheckTarget } from '../webhooks/target-check.ts';

/** Calls to the endpoints of webhooks from this server. */
export function createWebhookServices(
  /** Targets that are permitted although they are not public. */
  allowed: readonly AllowedTargets[],
): WebhookServices {
  const judgeTarget = createJudgeTarget({ allowed });
  return {
    newSecret: () => makeWebhookSecret(randomBytes),
    checkTarget: createCheckTarget(judgeTarget),
    send: createSend({
      judgeTarget,
      version: packageJson.version,
      now: Date.now,
      steadyNow: () => performance.now(),
    }),
  };
}
