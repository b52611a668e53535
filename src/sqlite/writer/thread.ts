// Runs SQLite in a thread if it can take long, such as for a flush to disk, so that the serving thread keeps answering requests
// and signals.

import { commitGroup } from '../../storage/commands/commit-group.ts';
import type { GroupOutcome, PendingCommand } from '../../storage/contract/command-writer.ts';
import { DatabaseUnavailable, DatabaseUnusable } from '../../storage/contract/database-error.ts';
import type { Transact } from '../../storage/queryable.ts';
import { commands } from '../../storage/registry.ts';
import type { ReadOptions } from '../backup/vacuum-into.ts';
import { type Connection, makeDurable, openWriterConnection } from '../connection.ts';
import { createNoteCommit, createReadCommit, type SharedIndex } from '../data-version.ts';
import { withOperatorError } from '../errors.ts';
import type { OpenFiles } from '../file/open-files.ts';
import { releaseReserve } from '../file/reserve.ts';
import { beginLife, clearRunning } from '../life/begin-life.ts';
import { createTransact } from '../transaction.ts';
import type { FileVerification, VerifyOptions } from '../verify.ts';
import { hasWalResetFault, readSqliteVersion } from '../wal-reset-fault.ts';
import { type OpenGuard, openCommitGuard } from './commit-guard.ts';
import { checkpoint, longPages, pauseCheckpoints, shortenWal } from './wal.ts';

/** An error as plain data, because messages between threads lose the class of an error. */
export type EncodedError = ReturnType<typeof encodeError>;

function encodeError(error: unknown) {
  const { name, message, stack } = error instanceof Error ? error : new Error(String(error));
  const isUnavailable = error instanceof DatabaseUnavailable;
  const isFull = isUnavailable && error.isFull;
  return { name, message, stack, isFull, isDamaged: isUnavailable && error.isDamaged };
}

export type EncodedOutcome = ReturnType<typeof encodeOutcome>;

function encodeOutcome(outcome: GroupOutcome) {
  return 'error' in outcome ? { error: encodeError(outcome.error) } : outcome;
}

let open: { readonly connection: Connection; readonly transact: Transact } | undefined;
let guard: OpenGuard | undefined;
let noteCommit: ReturnType<typeof createNoteCommit> | undefined;
/** The life that a server gives the file before the first commit. Undefined once it has it. */
let newLife: string | undefined;

/**
 * The functions of the thread. They run one after the other. `checkpoint`, `verify` and `vacuumInto` open the file
 * themselves, each in a thread of its own.
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

  /**
   * Checks the files around each later transaction, counts the commits, and shares each of them with the serving thread. The caller
   * keeps the files open. `shared` has the index of the log, where that thread has mapped it. `life` is a new life for the file of a
   * server.
   */
  guard(files: OpenFiles, shared: SharedIndex | undefined, life: string | undefined): void {
    const { connection } = opened();
    const mapped = shared?.address;
    guard = openCommitGuard(connection, files, { mapped, isServer: life !== undefined });
    open = { connection, transact: createTransact(connection, guard) };
    newLife = life;
    // The server checkpoints the log. With such a SQLite, only one connection may do that while another commits.
    if (life === undefined && hasWalResetFault(readSqliteVersion())) {
      connection.run('PRAGMA wal_autocheckpoint = 0');
    }
    const fault = guard.check();
    if (fault !== undefined) throw new DatabaseUnusable(fault);
    noteCommit = shared && createNoteCommit(createReadCommit(shared.address), shared.memory);
  },

  /** Returns a line if another program changed the files. */
  check: (): string | undefined => guard?.check(),

  /** Gives the file of a server its new life. Each commit tries this first. Does nothing if it has it already. */
  startLife(): void {
    if (newLife === undefined || guard === undefined) return;
    const { connection } = opened();
    // This commit must not shorten a long log at once.
    pauseCheckpoints(connection);
    beginLife(connection, guard.path, { life: newLife, isRunning: true });
    guard.startLife(newLife);
    newLife = undefined;
    // Then the data file has its life without the log, and `guard` knows pages that no older copy of the file has.
    if (guard.framesLeft() <= longPages) connection.run('PRAGMA wal_checkpoint(PASSIVE)');
    makeDurable(connection);
    guard.learnPages();
  },

  /** Returns the outcomes, and the findings of the guard after them. */
  async commit(group: readonly PendingCommand[]) {
    const outcomes = await commitWithReserve(group);
    // A commit that failed may have changed anything.
    const hasFailed = outcomes.some((outcome) => 'error' in outcome);
    const isAccessKept = !hasFailed && group.every(({ name }) => commands[name].keepsAccess);
    noteCommit?.(isAccessKept, guard?.ownCount() ?? 0);
    return { outcomes: outcomes.map(encodeOutcome), ...guard?.findings() };
  },

  /**
   * Closing the last writer moves the write-ahead log into the file. `isElsewhere` means that the file may have another name
   * now. Returns a line and closes nothing if the files were changed.
   */
  async close(isElsewhere: boolean): Promise<string | undefined> {
    if (guard?.check() === undefined) await stopRunning(isElsewhere);
    const lost = guard?.findings().lost;
    if (lost !== undefined) return lost;
    // Its log can belong to the file that has its name now, and is the last copy of some commits.
    if (isElsewhere && guard?.isRemoved() === true) return `${guard.path} was removed`;
    if (isElsewhere) checkpointLog();
    open?.connection.close();
    return undefined;
  },

  pauseCheckpoints: () => pauseCheckpoints(opened().connection),

  shortenWal: (path: string): boolean => shortenWal(opened().connection, path),

  checkpoint,

  async verify(path: string, options?: VerifyOptions): Promise<FileVerification> {
    // Loaded when it is used, because it would delay the start of every writer.
    const { verifyFile } = await import('../verify.ts');
    return await verifyFile(path, options);
  },

  async vacuumInto(path: string, target: string, options: ReadOptions): Promise<void> {
    const { vacuumInto } = await import('../backup/vacuum-into.ts');
    await vacuumInto(path, target, options);
  },
};

/** On a full disk, commits the commands that take access away with the reserve. */
async function commitWithReserve(
  group: readonly PendingCommand[],
): Promise<readonly GroupOutcome[]> {
  const outcomes = await commitOnce(group);
  const isLeft = ({ name }: PendingCommand, index: number) =>
    commands[name].removesAccess === 'urgently' && isFull(outcomes[index]);
  const urgent = group.filter(isLeft);
  if (urgent.length === 0 || guard === undefined) return outcomes;
  if (newLife !== undefined) releaseReserve(guard.path);
  guard.useReserve(true);
  const urgentOutcomes = await commitOnce(urgent);
  guard.useReserve(false);
  const done = new Map(urgent.map((command, index) => [command, urgentOutcomes[index]]));
  return group.map((command, index) => done.get(command) ?? outcomes[index] ?? notCommitted);
}

const notCommitted: GroupOutcome = { error: new Error('The command was not committed') };

function isFull(outcome: GroupOutcome | undefined): boolean {
  if (outcome === undefined || !('error' in outcome)) return false;
  return outcome.error instanceof DatabaseUnavailable && outcome.error.isFull;
}

async function commitOnce(group: readonly PendingCommand[]): Promise<readonly GroupOutcome[]> {
  try {
    functions.startLife();
  } catch (error) {
    return group.map(() => ({ error }));
  }
  return await commitGroup(opened().transact, group);
}

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

/**
 * A server that stops clears its mark, unless the disk is full, for example. Then the log is left, or `NAME.life` shows at the next
 * start that nothing is missing.
 */
async function stopRunning(isElsewhere: boolean): Promise<void> {
  if (open === undefined || guard === undefined || newLife !== undefined) return;
  if (!guard.isServer) return clearRunning(open.connection, guard.path);
  const { connection, transact } = open;
  try {
    await transact(async () => void connection.run('UPDATE life SET is_running = 0'));
    if (!isElsewhere) guard.completeRecord();
  } catch {
    // On a full disk, the mark or the record stays as it was.
  }
}

/** SQLite leaves the log of a file that it does not find by its name, and would apply it to the next file of that name. */
function checkpointLog(): void {
  try {
    open?.connection.run('PRAGMA wal_checkpoint(TRUNCATE)');
  } catch {
    // The disk may be gone.
  }
}
