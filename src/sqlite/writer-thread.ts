// The thread that writes. A flush to disk may take long; here it holds up no read and no other request.

import { prepareCommands } from './commands.ts';
import { openWriterConnection } from './connection.ts';
import {
  type CommandOutcome,
  commitGroup,
  type PendingCommand,
  type WriterTools,
} from './group-commit.ts';
import { prepareRunOnce } from './once-keys.ts';

export type ToWriter =
  | { readonly open: string }
  | { readonly group: readonly PendingCommand[] }
  | { readonly close: true };

export type FromWriter =
  | { readonly opened: true }
  | { readonly outcomes: readonly CommandOutcome[] }
  | { readonly closed: true };

declare const self: Worker;

let tools: WriterTools | undefined;

self.onmessage = ({ data }: MessageEvent<ToWriter>) => {
  if ('open' in data) {
    const connection = openWriterConnection(data.open);
    tools = {
      connection,
      commands: prepareCommands(connection),
      runOnce: prepareRunOnce(connection),
    };
    reply({ opened: true });
  } else if ('close' in data) {
    // The last writer to close folds the write-ahead log back into the file.
    tools?.connection.close();
    reply({ closed: true });
  } else if (tools !== undefined) {
    reply({ outcomes: commitGroup(tools, data.group) });
  }
};

function reply(message: FromWriter): void {
  self.postMessage(message);
}
