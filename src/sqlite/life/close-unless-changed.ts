import { existsSync } from 'node:fs';
import type { Connection } from '../connection.ts';
import { endWithoutClosing } from '../file/end-without-closing.ts';
import { createIntactCheck } from '../file/intact-files.ts';
import { openFiles } from '../file/open-files.ts';
import { clearRunning } from './begin-life.ts';

/**
 * Closes the connection of a command that only reads. It can be the last one, after a server has ended because its files were changed,
 * and would then checkpoint the log.
 */
export function closeUnlessChanged(connection: Connection, path: string): void {
  // A file that is not in WAL mode, such as a backup, has no log.
  const files =
    existsSync(`${path}-wal`) && existsSync(`${path}-shm`) ? openFiles(path) : undefined;
  const check = files && createIntactCheck(files);
  if (check?.checkFiles() !== undefined) {
    endWithoutClosing();
    return;
  }
  // Without a log, the file can be a copy that lacks what was in it.
  if (check !== undefined && check.logPages() > 0) clearRunning(connection, path);
  connection.close();
  // Closing a file ends the locks of SQLite, so it comes last.
  files?.[Symbol.dispose]();
}
