import type { Awaitable } from '../../domain/values/awaitable.ts';
import { type Failure, isFailure } from '../failure.ts';
import { type AuthenticatedContext, beginCall, type RequestContext } from '../request-context.ts';
import type { PipelineServices } from '../services.ts';

/**
 * How often the key or session of a long request is checked. A read of PostgreSQL may be half a second old, so that a revoked key
 * is rejected within a second.
 */
const keyCheckMilliseconds = 400;

/** Checks again that the key or session of a request is valid, long after it arrived. */
export async function recheckKey(
  context: RequestContext,
  { authenticate, reportRepeated }: PipelineServices,
): Promise<Failure | undefined> {
  beginCall(context, reportRepeated);
  const caller = await authenticate(context);
  return isFailure(caller) ? caller : undefined;
}

/** Watches a request that waits for changes. */
export function watchCaller(context: AuthenticatedContext, services: PipelineServices) {
  const { steadyNow, stopping, feed } = services;
  const { signal } = context.request;
  const isOver = () => signal.aborted || stopping.aborted;
  let checkAt = steadyNow() + keyCheckMilliseconds;

  /** If a check fails, the next call checks again, so that nothing is sent under an unchecked key. */
  async function check(): Promise<Failure | undefined> {
    const failure = await recheckKey(context, services);
    checkAt = steadyNow() + keyCheckMilliseconds;
    return failure;
  }

  return {
    /** Whether the client has disconnected, or the server stops. */
    isOver,
    /** Returns why the request must end. It checks at intervals, even if it is called more often. */
    refusal: (): Awaitable<Failure | undefined> => (steadyNow() < checkAt ? undefined : check()),
    /** Waits for a commit after a data version, for the next check of the key, or until a time. */
    wait: (dataVersion: number, until: number) =>
      feed.waitForChange(dataVersion, Math.min(until, checkAt), isOver),
  };
}
