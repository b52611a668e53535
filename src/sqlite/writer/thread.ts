// The thread in which SQLite works where that may take long, such as a flush to disk: it holds up no read, no request and
// no signal in the thread that serves.

import type { Verification } from '../../domain/database/verification.ts';
import {
  commitGroup,
  type GroupOutcome,
  type PendingCommand,
} from '../../storage/commands/commit-group.ts';
import type { Transact } from '../../storage/queryable.ts';
import { type Connection, openWriterConnection } from '../connection.ts';
import { toOperatorError } from '../errors.ts';
import { verifyFile } from '../verify.ts';
import { type EncodedError, encodeError } from './thread-errors.ts';
import { createTransact } from './transact.ts';

/** Plain data: an error's class does not survive the crossing. */
export type EncodedOutcome =
  | Exclude<GroupOutcome, { readonly error: unknown }>
  | { readonly error: EncodedError };

let open: { readonly connection: Connection; readonly transact: Transact } | undefined;

/** What can be asked of the thread, one after the other. */
const functions = {
  open(path: string): void {
    try {
      const connection = openWriterConnection(path);
      // The log and its index are made when SQLite first reads: from here on they are there.
      connection.query('SELECT 1 FROM meta').get();
      open = { connection, transact: createTransact(connection) };
    } catch (error) {
      throw toOperatorError(`${path} cannot be opened`, error);
    }
  },

  commit(group: readonly PendingCommand[]): Promise<readonly EncodedOutcome[]> {
    if (open === undefined) throw new Error('Nothing is open');
    return commitGroup(open.transact, group).then((outcomes) =>
      outcomes.map((outcome) =>
        'error' in outcome ? { error: encodeError(outcome.error) } : outcome,
      ),
    );
  },

  /** The last writer to close folds the write-ahead log back into the file, which may go by another name by now. */
  close(isElsewhere: boolean): void {
    if (isElsewhere) checkpointLog();
    open?.connection.close();
  },

  verify: (path: string, notedDigest?: string): Promise<Verification> =>
    verifyFile(path, notedDigest),
};

export type ThreadFunctions = typeof functions;

export interface ThreadCall {
  readonly name: keyof ThreadFunctions;
  readonly input: readonly unknown[];
}

export type ThreadReply = { readonly result: unknown } | { readonly error: EncodedError };

declare const self: Worker;

self.onmessage = async ({ data: { name, input } }: MessageEvent<ThreadCall>) => {
  const run = functions[name] as (...input: readonly unknown[]) => unknown;
  try {
    reply({ result: await run(...input) });
  } catch (error) {
    reply({ error: encodeError(error) });
  }
};

function reply(message: ThreadReply): void {
  self.postMessage(message);
}

/** SQLite leaves the log of a file that it does not find by its name, and would apply it to the next file of that name. */
function checkpointLog(): void {
  try {
    open?.connection.run('PRAGMA wal_checkpoint(TRUNCATE)');
  } catch {
    // There may be no disk to fold it to.
  }
}
