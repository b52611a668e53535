// The thread that writes. A flush to disk may take long; here it holds up no read and no other request.

import { openWriterConnection } from './connection.ts';
import {
  type CommandOutcome,
  commitGroup,
  type PendingCommand,
  prepareWriterTools,
  type WriterTools,
} from './group-commit.ts';

export type ToWriter =
  | { readonly open: string }
  | { readonly group: readonly PendingCommand[] }
  /** `folds` where the file may go by another name by now, or by none. */
  | { readonly close: true; readonly folds: boolean };

export type FromWriter =
  | { readonly opened: true }
  | { readonly openFailed: string }
  | { readonly outcomes: readonly CommandOutcome[] }
  | { readonly closed: true };

declare const self: Worker;

let tools: WriterTools | undefined;

self.onmessage = ({ data }: MessageEvent<ToWriter>) => {
  if ('open' in data) {
    reply(open(data.open));
  } else if ('close' in data) {
    if (data.folds) foldLog();
    // The last writer to close folds the write-ahead log back into the file.
    tools?.connection.close();
    reply({ closed: true });
  } else if (tools !== undefined) {
    reply({ outcomes: commitGroup(tools, data.group) });
  }
};

function open(path: string): FromWriter {
  try {
    tools = prepareWriterTools(openWriterConnection(path));
    return { opened: true };
  } catch (error) {
    return { openFailed: error instanceof Error ? error.message : String(error) };
  }
}

/**
 * Brings what is only in the log into the file that is open, whatever their names are now, and empties the log: as the
 * last to close it, SQLite leaves the log of a file that it does not find by its name, and it would be taken for one of
 * the next file of that name.
 */
function foldLog(): void {
  try {
    tools?.connection.run('PRAGMA wal_checkpoint(TRUNCATE)');
  } catch {
    // There may be no disk to fold it to.
  }
}

function reply(message: FromWriter): void {
  self.postMessage(message);
}
