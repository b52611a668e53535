import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { runProgram } from '../support/server-process.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

/** Calls after which something else is on disk for good, of which there are few; and writes, of which there are many. */
export const turns = 'fsync fdatasync ftruncate rename unlink';
const writes = 'write pwrite';

export interface KillOptions {
  /** That of `buildIoErrorLibrary`. */
  readonly library: string;
  readonly env: Record<string, string>;
  /** Before each write, and not only before some. */
  readonly long: boolean;
}

/**
 * Runs a command again and again, killed before each flush, cut, renaming and removal of a file of data in turn, and
 * before its writes, the first few and then ever fewer. The runs count from 0. Each starts from what the one before it has left, after
 * `check` has looked. The last runs to its end; `failure` says what was wrong with one that was not killed.
 */
export async function runKilled(
  commandOf: (run: number) => readonly string[],
  { library, env, long }: KillOptions,
  check: () => Promise<void> | void,
): Promise<{ readonly kills: number; readonly failure: string | undefined }> {
  using folder = makeTemporaryFolder();
  const reached = join(folder.path, 'reached');
  let kills = 0;
  let runs = 0;
  for (const calls of [turns, writes]) {
    for (let at = 1; ; at += long || calls === turns ? 1 : Math.ceil(at / 4)) {
      rmSync(reached, { force: true });
      const { exitCode, stderr } = await runProgram(commandOf(runs), {
        ...env,
        LD_PRELOAD: library,
        IO_ERROR_AT: String(at),
        IO_ERROR_KILLS: '1',
        IO_ERROR_CALLS: calls,
        IO_ERROR_COUNTER: reached,
      });
      runs += 1;
      const wasKilled = existsSync(reached);
      if (wasKilled) kills += 1;
      await check();
      if (wasKilled) continue;
      if (exitCode !== 0) return { kills, failure: stderr.trim() };
      break;
    }
  }
  return { kills, failure: kills === 0 ? 'no kill reached it' : undefined };
}
