import type { CheckTarget } from '../domain/webhook-target.ts';
import type { JudgeTarget } from './target.ts';

/** Checks at once. Each asks name servers about a name of the client's choice. */
const runningMax = { ofWorkspace: 10, ofServer: 100 };

/** A fragment, which is never sent, or a user without a name. Webhooks of earlier versions can have them. */
const misleading = /#|^https?:\/\/[^/?]*@/i;

/** Checks the URL that a client gives a webhook, unless too many other checks run. */
export function createCheckTarget(judgeTarget: JudgeTarget): CheckTarget {
  const running = new Map<bigint, number>();
  let count = 0;

  function change(workspaceId: bigint, by: 1 | -1): void {
    count += by;
    const ofWorkspace = (running.get(workspaceId) ?? 0) + by;
    if (ofWorkspace === 0) running.delete(workspaceId);
    else running.set(workspaceId, ofWorkspace);
  }

  return async (url, { workspaceId, signal }) => {
    if (misleading.test(url)) return { fault: 'invalid_url' };
    const ofWorkspace = running.get(workspaceId) ?? 0;
    if (ofWorkspace >= runningMax.ofWorkspace || count >= runningMax.ofServer) {
      return { fault: 'too_many_checks' };
    }
    change(workspaceId, 1);
    try {
      const target = await judgeTarget(url, signal);
      return target.fault === undefined ? { url: target.url.href } : target;
    } finally {
      change(workspaceId, -1);
    }
  };
}
