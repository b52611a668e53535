import { after } from '../../context/deadline.ts';
import { type Failure, fail } from '../failure.ts';

/** The searches that run at once. Each takes processor time that all other requests wait for. */
const runningMax = 4;

/** A search that waited longer is refused, long before its connection would be closed without an answer. */
const waitMillisecondsMax = 2000;

const refusal = fail('unavailable', 'Too many searches are running; retry later', {
  'retry-after': '1',
});

/** Runs a search when fewer than four others run. A search is not run after its client has disconnected. */
export type SearchInTurn = <Result>(
  signal: AbortSignal,
  search: () => Result | Promise<Result>,
) => Promise<Result | Failure>;

/** The searches of one server, in the order of their arrival. */
export function createSearchTurns(): SearchInTurn {
  let running = 0;
  /** Each function starts a search that waits. */
  const waiting = new Set<() => void>();

  /** Returns false if no other search ended in time. */
  function waitForTurn(): Promise<boolean> {
    return new Promise((resolve) => {
      const end = (isTurn: boolean) => {
        timer[Symbol.dispose]();
        waiting.delete(start);
        resolve(isTurn);
      };
      const start = () => end(true);
      const timer = after(waitMillisecondsMax, () => end(false));
      waiting.add(start);
    });
  }

  return async (signal, search) => {
    if (running < runningMax) running += 1;
    else if (!(await waitForTurn())) return refusal;
    try {
      return signal.aborted ? refusal : await search();
    } finally {
      // A search that ends passes its slot to the next one.
      const [next] = waiting;
      if (next === undefined) running -= 1;
      else next();
    }
  };
}
