import type { Awaitable } from '../../domain/values/awaitable.ts';
import { type Failure, isFailure } from '../answer/answer.ts';
import type { AuthenticatedContext, PipelineServices, RequestContext } from '../request-context.ts';

/**
 * How often it is looked whether the key or session of a request that goes on still holds: with the half second for which what was read
 * of PostgreSQL may be taken to hold, a revoked one is seen within a second.
 */
const keyCheckMilliseconds = 400;

/** The key or session of a request must still hold when it is answered, if that is much later than it came. */
export async function recheckKey(
  { request }: RequestContext,
  { authenticate }: PipelineServices,
): Promise<Failure | undefined> {
  const caller = await authenticate(request);
  return isFailure(caller) ? caller : undefined;
}

/** A request that waits for changes, as long as there is somebody to answer. */
export interface RequestWatch {
  /** Whether the client has gone, or the server stops. */
  isOver(): boolean;
  /** Why it may not go on. Asked often, it looks now and then. */
  refusal(): Awaitable<Failure | undefined>;
  /** Returns when something may have changed since a data version, or it is time to look at the key, or for something else. */
  wait(dataVersion: number, until: number): Promise<void>;
}

export function watchCaller(
  context: AuthenticatedContext,
  services: PipelineServices,
): RequestWatch {
  const { steadyNow, stopping, feed } = services;
  const { signal } = context.request;
  const isOver = () => signal.aborted || stopping.aborted;
  let checkAt = steadyNow() + keyCheckMilliseconds;
  return {
    isOver,
    refusal() {
      if (steadyNow() < checkAt) return undefined;
      checkAt = steadyNow() + keyCheckMilliseconds;
      return recheckKey(context, services);
    },
    wait: (dataVersion, until) => feed.changed(dataVersion, Math.min(until, checkAt), isOver),
  };
}
