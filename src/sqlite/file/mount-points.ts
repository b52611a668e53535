import { readFileSync } from 'node:fs';
import { DatabaseUnusable } from '../../domain/database/database-error.ts';

/**
 * Rejects a file that is a mount point itself (docs/decisions/sqlite.md). `path` is a real path.
 * @throws DatabaseUnusable with one line for the operator.
 */
export function rejectMountPoint(path: string): void {
  if (!readMountPoints().includes(path)) return;
  throw new DatabaseUnusable(
    `${path} is a mount point, so its write-ahead log would be outside of the mounted file: mount its folder instead`,
  );
}

/** The fifth field of each line (proc_pid_mountinfo(5)). Spaces and backslashes are octal there. Empty if not on Linux. */
function readMountPoints(): readonly string[] {
  try {
    return readFileSync('/proc/self/mountinfo', 'utf8')
      .split('\n')
      .map((line) => line.split(' ')[4] ?? '')
      .map((field) =>
        field.replaceAll(/\\([0-7]{3})/g, (_, octal) => String.fromCharCode(parseInt(octal, 8))),
      );
  } catch {
    return [];
  }
}
