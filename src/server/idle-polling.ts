import type { App } from '../http/app.ts';

/** After the last request, the server looks for work as usual for this long. */
const awakeMilliseconds = 60_000;

export interface IdlePolling {
  /** Notes the requests that an app gets, except those that only ask whether the process runs. */
  watch(app: App): App;
  /** Returns a function for one kind of work without a request. It tells whether to look for it now. */
  createGate(): () => boolean;
}

/**
 * Lets a database sleep that is paused without use. Without requests, the server looks for work only once in `pollingMilliseconds`;
 * with 0, as often as with requests.
 */
export function createIdlePolling(
  pollingMilliseconds: number,
  /** Milliseconds of a clock that is never set. */
  steadyNow: () => number,
): IdlePolling {
  if (pollingMilliseconds === 0) return { watch: (app) => app, createGate: () => () => true };
  let usedAt = steadyNow();
  return {
    watch: (app) => (request, transport) => {
      if (!request.url.endsWith('/livez')) usedAt = steadyNow();
      return app(request, transport);
    },
    createGate() {
      let lookedAt = steadyNow();
      return () => {
        const now = steadyNow();
        const isAwake = now - usedAt < awakeMilliseconds;
        if (!isAwake && now - lookedAt < pollingMilliseconds) return false;
        lookedAt = now;
        return true;
      };
    },
  };
}
