import { CallEnded, type Context } from '../domain/values/context.ts';

/** The context of a call that nothing ends, such as of a command. Each statement has its own limit. */
export const background: Context = {
  signal: new AbortController().signal,
  deadline: Number.POSITIVE_INFINITY,
  report: () => {},
};

interface ContextOptions extends Partial<Pick<Context, 'signal' | 'report'>> {
  /** How long the call may take from now. */
  readonly millisecondsMax: number;
}

/** The context of a call that begins now. */
export function createContext({
  millisecondsMax,
  signal = background.signal,
  report = background.report,
}: ContextOptions): Context {
  return { signal, deadline: performance.now() + millisecondsMax, report };
}

/** The same call with less time. It never ends later than `context`. */
export function shorten(context: Context, millisecondsMax: number): Context {
  const { signal, report } = context;
  const deadline = Math.min(context.deadline, performance.now() + millisecondsMax);
  return { signal, deadline, report };
}

export function isOver(context: Context): boolean {
  // Most reads have this one, and reading a clock costs as much as the rest of the check.
  if (context === background) return false;
  return context.signal.aborted || performance.now() >= context.deadline;
}

/** @throws CallEnded if a call is over. Called before each statement. */
export function checkContext(context: Context): void {
  if (isOver(context)) throw endOf(context);
}

/** The error of a call that is over. */
export function endOf({ signal }: Context): CallEnded {
  return new CallEnded(signal.aborted ? 'The call was aborted' : 'The call took too long');
}
