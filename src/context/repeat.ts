import type { Awaitable } from '../domain/values/awaitable.ts';
import type { Context } from '../domain/values/context.ts';
import { DatabaseUnavailable } from '../storage/contract/database-error.ts';
import { isOver } from './context.ts';
import { rest } from './deadline.ts';

export interface RepeatPolicy {
  /** Whether the same call can succeed later. By default, if storage is unavailable and the requested data is not damaged. */
  readonly isPassing?: (error: unknown) => boolean;
  /** By default, the context alone ends the repetition. */
  readonly attemptsMax?: number;
  /** The rest before the next attempt; 0 by default. */
  readonly restMilliseconds?: number;
  /** Waits for the next attempt instead of a rest. It must end. */
  readonly wait?: () => Promise<unknown>;
}

/**
 * Runs a call, and repeats it while it fails for a reason that can pass, until its context is over. The first failure is reported. The
 * last one is thrown. A call with an unknown outcome is not repeated, because it may have succeeded.
 */
export async function repeat<Result>(
  context: Context,
  { isPassing = isOutage, attemptsMax, restMilliseconds = 0, wait }: RepeatPolicy,
  call: (attempt: number) => Awaitable<Result>,
): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await call(attempt);
    } catch (error) {
      if (!isPassing(error) || attempt === attemptsMax || isOver(context)) throw error;
      if (attempt === 1) context.report(error);
      if (wait !== undefined) await wait();
      else if (restMilliseconds > 0) await rest(restMilliseconds, context.signal);
      if (isOver(context)) throw error;
    }
  }
}

/** Whether storage may work again. Damaged data stays damaged. */
export function isOutage(error: unknown): boolean {
  return error instanceof DatabaseUnavailable && !error.isDamaged;
}

interface LookPolicy {
  readonly looksMax: number;
  readonly restMilliseconds: number | (() => number);
}

/**
 * Looks several times at what another process changes at this moment. `look` returns undefined to look again, and throws at its last
 * look. The thread is blocked during the rests, so this is only for a command, and for the start of a server.
 */
export function lookAgain<Result>(
  { looksMax, restMilliseconds }: LookPolicy,
  look: (isLast: boolean) => Result | undefined,
): Result | undefined {
  for (let looks = 1; ; looks += 1) {
    const result = look(looks === looksMax);
    if (result !== undefined || looks === looksMax) return result;
    Bun.sleepSync(typeof restMilliseconds === 'number' ? restMilliseconds : restMilliseconds());
  }
}
