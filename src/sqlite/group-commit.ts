import { type CommandName, DatabaseUnavailable, type OnceKey } from '../domain/database.ts';
import { type BatchTable, type CommandTable, prepareCommands } from './commands.ts';
import { type Connection, sqliteCode, translateError } from './connection.ts';
import { prepareRunOnce, type RunOnce } from './once-keys.ts';

/** A command on its way to the writer: plain data, as it crosses threads. */
export interface PendingCommand {
  readonly name: CommandName;
  readonly input: unknown;
  /** Where it is to run at most once. */
  readonly once: OnceKey | undefined;
}

/** What became of a command: plain data again, since an error's class does not survive the crossing. */
export type CommandOutcome<Output = unknown> = { readonly output: Output } | CommandFailure;

interface CommandFailure {
  readonly error: string;
  /**
   * Nothing was done and it may be tried again, when there is room where it is `full`; nobody knows what was done; or it
   * was a mistake of ours.
   */
  readonly kind: 'unavailable' | 'full' | 'outcome_unknown' | 'fault';
}

/** What the writer has at hand on its connection. */
export interface WriterTools {
  readonly connection: Connection;
  readonly commands: CommandTable;
  readonly batches: BatchTable;
  readonly runOnce: RunOnce;
  readonly transaction: ReturnType<typeof prepareTransaction>;
}

/** Prepares all that the writer needs, once: these statements run more often than any other. */
export function prepareWriterTools(connection: Connection): WriterTools {
  return {
    connection,
    ...prepareCommands(connection),
    runOnce: prepareRunOnce(connection),
    transaction: prepareTransaction(connection),
  };
}

function prepareTransaction(connection: Connection) {
  return {
    begin: connection.query('BEGIN IMMEDIATE'),
    commit: connection.query('COMMIT'),
    savepoint: connection.query('SAVEPOINT command'),
    release: connection.query('RELEASE command'),
    rollbackToSavepoint: connection.query('ROLLBACK TO command'),
  };
}

/**
 * Runs commands that arrived together in one transaction with one flush to disk. Each has a savepoint of
 * its own, so that one which fails takes nothing with it and harms no other. No outcome is known before
 * the flush has returned: where the commit fails, all of them failed. Where the disk fails in a commit, what
 * was written may be there all the same when the file is next opened.
 */
export function commitGroup(
  tools: WriterTools,
  group: readonly PendingCommand[],
): CommandOutcome[] {
  const { connection, transaction } = tools;
  let committing = false;
  try {
    transaction.begin.run();
    const outcomes = runsOfAlike(group).flatMap((alike) => runAlike(tools, alike));
    committing = true;
    transaction.commit.run();
    return outcomes;
  } catch (error) {
    if (connection.inTransaction) connection.run('ROLLBACK');
    const failure = describeError(error);
    const isUnknown = committing && sqliteCode(error)?.startsWith('SQLITE_IOERR') === true;
    const failed = isUnknown ? { ...failure, kind: 'outcome_unknown' as const } : failure;
    return group.map(() => failed);
  }
}

/** Parts a group where the name changes. A command that runs at most once stands alone. */
function runsOfAlike(group: readonly PendingCommand[]): PendingCommand[][] {
  const runs: PendingCommand[][] = [];
  let last: PendingCommand | undefined;
  for (const pending of group) {
    const joins = last?.name === pending.name && last.once === undefined && !pending.once;
    if (joins) runs.at(-1)?.push(pending);
    else runs.push([pending]);
    last = pending;
  }
  return runs;
}

/** Several alike share a savepoint where they can; should one fail, each has its own after all. */
function runAlike(tools: WriterTools, alike: readonly PendingCommand[]): CommandOutcome[] {
  const runBatch = tools.batches[alike[0]?.name as CommandName] as Batch | undefined;
  if (runBatch !== undefined && alike.length > 1) {
    const batch = runInSavepoint(tools, () => runBatch(alike.map(({ input }) => input)));
    if ('output' in batch) return batch.output.map((output) => ({ output }));
  }
  return alike.map((pending) => runInSavepoint(tools, () => runCommand(tools, pending)));
}

type Batch = (inputs: readonly unknown[]) => readonly unknown[];

function runInSavepoint<Output>(
  { connection, transaction }: WriterTools,
  run: () => Output,
): CommandOutcome<Output> {
  transaction.savepoint.run();
  try {
    const output = run();
    transaction.release.run();
    return { output };
  } catch (error) {
    // Where the disk is full or failing, SQLite has rolled back everything: the whole group failed.
    if (!connection.inTransaction) throw error;
    transaction.rollbackToSavepoint.run();
    transaction.release.run();
    return describeError(error);
  }
}

function runCommand({ commands, runOnce }: WriterTools, pending: PendingCommand): unknown {
  const { name, input, once } = pending;
  const run = commands[name] as (input: unknown) => unknown;
  return once === undefined ? run(input) : runOnce(once, () => run(input));
}

function describeError(error: unknown): CommandFailure {
  const translated = translateError(error);
  const message = error instanceof Error ? error.message : String(error);
  return {
    error: `${sqliteCode(error) ?? 'error'}: ${message}`,
    kind: kindOf(translated),
  };
}

function kindOf(error: unknown): CommandFailure['kind'] {
  if (!(error instanceof DatabaseUnavailable)) return 'fault';
  return error.isFull ? 'full' : 'unavailable';
}
