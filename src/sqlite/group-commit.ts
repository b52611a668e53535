import type { CommandName } from '../domain/database.ts';
import type { CommandTable } from './commands.ts';
import { type Connection, sqliteCode, translateError } from './connection.ts';

/** A command on its way to the writer: plain data, as it crosses threads. */
export interface PendingCommand {
  readonly name: CommandName;
  readonly input: unknown;
}

/** What became of a command: plain data again, since an error's class does not survive the crossing. */
export type CommandOutcome =
  | { readonly output: unknown }
  | { readonly error: string; readonly unavailable: boolean };

/**
 * Runs commands that arrived together in one transaction with one flush to disk. Each has a savepoint of
 * its own, so that one which fails takes nothing with it and harms no other. No outcome is known before
 * the flush has returned: where the commit fails, all of them failed.
 */
export function commitGroup(
  connection: Connection,
  commands: CommandTable,
  group: readonly PendingCommand[],
): CommandOutcome[] {
  try {
    connection.run('BEGIN IMMEDIATE');
    const outcomes = group.map((pending) => runInSavepoint(connection, commands, pending));
    connection.run('COMMIT');
    return outcomes;
  } catch (error) {
    if (connection.inTransaction) connection.run('ROLLBACK');
    const failed = describeError(error);
    return group.map(() => failed);
  }
}

function runInSavepoint(
  connection: Connection,
  commands: CommandTable,
  { name, input }: PendingCommand,
): CommandOutcome {
  connection.run('SAVEPOINT command');
  try {
    const run = commands[name] as (input: unknown) => unknown;
    const output = run(input);
    connection.run('RELEASE command');
    return { output };
  } catch (error) {
    // Where the disk is full or failing, SQLite has rolled back everything: the whole group failed.
    if (!connection.inTransaction) throw error;
    connection.run('ROLLBACK TO command');
    connection.run('RELEASE command');
    return describeError(error);
  }
}

function describeError(error: unknown): CommandOutcome {
  const translated = translateError(error);
  const message = error instanceof Error ? error.message : String(error);
  return {
    error: `${sqliteCode(error) ?? 'error'}: ${message}`,
    unavailable: translated !== error,
  };
}
