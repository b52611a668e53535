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
  | { readonly close: true };

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

function reply(message: FromWriter): void {
  self.postMessage(message);
}
