import { randomBytes } from 'node:crypto';
import { parseAllowedTargets } from '../../src/domain/webhook-target.ts';
import type { WebhookServices } from '../../src/http/webhook-services.ts';
import { createSend } from '../../src/webhooks/send.ts';
import { makeWebhookSecret } from '../../src/webhooks/signature.ts';
import { createJudgeTarget } from '../../src/webhooks/target.ts';
import { createCheckTarget } from '../../src/webhooks/target-check.ts';

/** The address of every name below `.example`. No test connects to it. */
const publicAddress = '192.0.3.7';

const loopback = parseAllowedTargets('127.0.0.0/8');

/** The real calls to endpoints, which may be on loopback. Names are resolved without a name server. */
export function createTestWebhooks(now: () => number): WebhookServices {
  const judgeTarget = createJudgeTarget({
    allowed: loopback === undefined ? [] : [loopback],
    async resolve(name) {
      if (name.endsWith('.inner.example')) return [publicAddress, '10.0.0.1'];
      if (name.endsWith('.example')) return [publicAddress];
      throw new Error(`No test may resolve ${name}`);
    },
  });
  return {
    newSecret: () => makeWebhookSecret(randomBytes),
    checkTarget: createCheckTarget(judgeTarget),
    send: createSend({
      judgeTarget,
      version: '0.0.0',
      now,
      steadyNow: () => performance.now(),
    }),
  };
}
