// The thread that writes. A flush to disk may take long; here it holds up no read and no other request.

import { type CommandTable, prepareCommands } from './commands.ts';
import { type Connection, openWriterConnection } from './connection.ts';
import { type CommandOutcome, commitGroup, type PendingCommand } from './group-commit.ts';

export type ToWriter =
  | { readonly open: string }
  | { readonly group: readonly PendingCommand[] }
  | { readonly close: true };

export type FromWriter =
  | { readonly opened: true }
  | { readonly outcomes: readonly CommandOutcome[] }
  | { readonly closed: true };

declare const self: Worker;

let connection: Connection | undefined;
let commands: CommandTable | undefined;

self.onmessage = ({ data }: MessageEvent<ToWriter>) => {
  if ('open' in data) {
    connection = openWriterConnection(data.open);
    commands = prepareCommands(connection);
    reply({ opened: true });
  } else if ('close' in data) {
    // The last writer to close folds the write-ahead log back into the file.
    connection?.close();
    reply({ closed: true });
  } else if (connection !== undefined && commands !== undefined) {
    reply({ outcomes: commitGroup(connection, commands, data.group) });
  }
};

function reply(message: FromWriter): void {
  self.postMessage(message);
}
