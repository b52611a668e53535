// Runs SQLite in a thread if it can take long, such as for a flush to disk, so that the serving thread keeps answering requests
// and signals.

import type { Pointer } from 'bun:ffi';
import { DatabaseUnavailable } from '../../domain/database/database-error.ts';
import {
  commitGroup,
  type GroupOutcome,
  type PendingCommand,
} from '../../storage/commands/commit-group.ts';
import type { Transact } from '../../storage/queryable.ts';
import { keepsAccess } from '../../storage/registry.ts';
import { type Connection, openWriterConnection } from '../connection.ts';
import { createReadCommit } from '../data-version.ts';
import { withOperatorError } from '../errors.ts';
import { createTransact } from '../transaction.ts';
import type { FileVerification, VerifyOptions } from '../verify.ts';
import { checkpoint, pauseCheckpoints, shortenLog } from './log.ts';
import { type Message, readMessage, toMessage } from './message.ts';
import { createNoteCommit } from './own-commits.ts';

/** An error as plain data, because messages between threads lose the class of an error. */
export type EncodedError = ReturnType<typeof encodeError>;

function encodeError(error: unknown) {
  const { name, message, stack } = error instanceof Error ? error : new Error(String(error));
  const isUnavailable = error instanceof DatabaseUnavailable;
  const isFull = isUnavailable && error.isFull;
  return { name, message, stack, isFull, isDamaged: isUnavailable && error.isDamaged };
}

type EncodedOutcome =
  | Exclude<GroupOutcome, { readonly error: unknown }>
  | { readonly error: EncodedError };

let open: { readonly connection: Connection; readonly transact: Transact } | undefined;
let noteCommit: ReturnType<typeof createNoteCommit> | undefined;

/**
 * The functions of the thread. They run one after the other. `checkpoint` and `verify` open the file themselves, each in a thread
 * of its own.
 */
const functions = {
  open(path: string): void {
    withOperatorError(`${path} cannot be opened`, () => {
      const connection = openWriterConnection(path);
      // SQLite creates the log and its index at the first read. The caller expects both.
      connection.query('SELECT 1 FROM meta').get();
      open = { connection, transact: createTransact(connection) };
    });
  },

  /** Shares each later commit with the serving thread, in memory that both have mapped. */
  shareCommits(address: Pointer, memory: SharedArrayBuffer): void {
    noteCommit = createNoteCommit(opened().connection, createReadCommit(address), memory);
  },

  async commit(
    message: Message<readonly PendingCommand[]>,
  ): Promise<Message<readonly EncodedOutcome[]>> {
    const group = readMessage(message);
    const outcomes = await commitGroup(opened().transact, group);
    // A commit that failed may have changed anything.
    const hasFailed = outcomes.some((outcome) => 'error' in outcome);
    noteCommit?.(!hasFailed && group.every(({ name }) => keepsAccess(name)));
    return toMessage(
      outcomes.map((outcome) =>
        'error' in outcome ? { error: encodeError(outcome.error) } : outcome,
      ),
    );
  },

  /**
   * Closing the last writer moves the write-ahead log into the file. `isElsewhere` means that the file may have another name
   * now.
   */
  close(isElsewhere: boolean): void {
    if (isElsewhere) checkpointLog();
    open?.connection.close();
  },

  pauseCheckpoints: () => pauseCheckpoints(opened().connection),

  shortenLog: (path: string): boolean => shortenLog(opened().connection, path),

  checkpoint,

  async verify(path: string, options?: VerifyOptions): Promise<FileVerification> {
    // Loaded when it is used, because it would delay the start of every writer.
    const { verifyFile } = await import('../verify.ts');
    return await verifyFile(path, options);
  },
};

function opened(): NonNullable<typeof open> {
  if (open === undefined) throw new Error('Nothing is open');
  return open;
}

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
    // The disk may be gone.
  }
}
