import { echo } from '../domain/echo.ts';
import type { Int64 } from '../domain/values/int64.ts';

/** What the process ends with. */
export const exitCodes = {
  done: 0,
  /** The command line was valid, but the command failed. */
  failed: 1,
  /** An option, value or argument was invalid. Nothing was written. */
  misused: 2,
} as const;

/** Ends a command with one line on standard error for each fault. */
export class CliFailure extends Error {
  override readonly name = 'CliFailure';
  readonly lines: readonly string[];
  constructor(
    lines: string | readonly string[],
    readonly exitCode: number = exitCodes.failed,
  ) {
    const all = typeof lines === 'string' ? [lines] : lines;
    super(all.join('\n'));
    this.lines = all;
  }
}

/** For an invalid command line. */
export function misused(...lines: string[]): CliFailure {
  return new CliFailure(lines, exitCodes.misused);
}

export function noSuchWorkspace(name: string): CliFailure {
  return new CliFailure(
    `Workspace ${echo(name)} does not exist; run workspaces list to see the workspaces`,
  );
}

export function noSuchKey(id: Int64): CliFailure {
  return new CliFailure(`Key ${id} does not exist; run keys list to see the keys`);
}
