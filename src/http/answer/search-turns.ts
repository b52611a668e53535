import { type Failure, fail } from '../failure.ts';

/** The searches that run at once. Each takes processor time that all other requests wait for. */
const runningMax = 4;

/** A search that waited longer is refused, long before its connection would be closed without an answer. */
const waitMillisecondsMax = 2000;

const refusal = fail('unavailable', 'Too many searches are running; retry later', {
  'retry-after': '1',
});

/** Runs a search when fewer than four others run. A search whose client has left does not run. */
export type SearchInTurn = <Result>(
  signal: AbortSignal,
  search: () => Result | Promise<Result>,
) => Promise<Result | Failure>;

/** The searches of one server, in the order of their arrival. */
export function createSearchTurns(steadyNow: () => number): SearchInTurn {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async (signal, search) => {
    const since = steadyNow();
    // A search that ends passes its place on to the next one.
    if (running < runningMax) running += 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      const isLate = steadyNow() - since > waitMillisecondsMax;
      return isLate || signal.aborted ? refusal : await search();
    } finally {
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };
}
