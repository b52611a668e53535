import { runProgram } from '../support/server-process.ts';
import { type IoFaults, turns } from './preload.ts';

const writes = 'write pwrite';

/** ANIMAL_STORE_TEST_DAY repeats the run of another day, in days since 1970. */
const day = Number(process.env.ANIMAL_STORE_TEST_DAY ?? Math.floor(Date.now() / 86_400_000));
const firstTurn = 1 + (day % 2);

interface KillOptions {
  readonly faults: IoFaults;
  readonly env: Record<string, string>;
  /** Whether to kill before each step that is no write, and before more writes. */
  readonly long: boolean;
}

/** The steps from one kill to the next. A copy has a write for each page, so the distance of writes grows. Else a run would take hours. */
function distanceAfter(at: number, isTurn: boolean, long: boolean): number {
  if (isTurn) return long ? 1 : 2;
  return Math.ceil(at / (long ? 16 : 2));
}

/**
 * Runs a command again and again. Each run is killed one step later than the last: before each flush, truncation, renaming and
 * removal of a database file, and before its writes at growing distances. Without `long`, before every second of these steps: the
 * odd ones on one day, the even ones on the next. Each run starts with the files that the last one left, after `check`. The last run
 * is not killed; `failure` is its error. Runs count from 0.
 */
export async function runKilled(
  commandOf: (run: number) => readonly string[],
  { faults, env, long }: KillOptions,
  check: () => Promise<void> | void,
): Promise<{ readonly kills: number; readonly failure: string | undefined }> {
  let kills = 0;
  let runs = 0;
  for (const calls of [turns, writes]) {
    for (
      let at = long || calls !== turns ? 1 : firstTurn;
      ;
      at += distanceAfter(at, calls === turns, long)
    ) {
      const fault = faults.env({ at, calls, effect: 'KILLS' });
      const { exitCode, stderr } = await runProgram(commandOf(runs), { ...env, ...fault });
      runs += 1;
      const wasKilled = faults.wasReached();
      if (wasKilled) kills += 1;
      await check();
      if (wasKilled) continue;
      if (exitCode !== 0) return { kills, failure: stderr.trim() };
      break;
    }
  }
  return { kills, failure: kills === 0 ? 'no kill reached it' : undefined };
}
