import { DatabaseOutcomeUnknown, DatabaseUnavailable } from '../storage/contract/database-error.ts';
import type { Row, Transact, Transaction, Value } from '../storage/queryable.ts';
import { newerWriterLine, writerVersion } from '../storage/schema/prepare-schema.ts';
import {
  columnNames,
  memberNames,
  replaceClause,
  type TableName,
} from '../storage/schema/tables.ts';
import type { Statement } from '../storage/statement.ts';
import { type Connection, openWritableConnection } from './connection.ts';
import { sqliteCode, translateError } from './errors.ts';
import type { Changes } from './life/life-table.ts';
import { readProcessActor } from './process-actor.ts';
import {
  type Binding,
  createPrepare,
  createQueryable,
  type Prepared,
  prepareStatement,
  toBindings,
} from './queryable.ts';
import type { CommitGuard } from './writer/commit-guard.ts';

/** More rows in one statement cost less for each row, up to about this number. */
const rowsPerStatement = 16;

/**
 * Runs statements between BEGIN and COMMIT of a connection, and notes in `noted` what they change. Deferred statements are done when
 * the call returns.
 */
export function createTransaction(
  connection: Connection,
  noted: Changes = { hasChanges: false, raised: undefined },
): Transaction {
  const queryable = createQueryable(connection);
  const prepare = createPrepare(connection);
  const inserts = new Map<string, Insert>();

  function run(statement: Statement, values: readonly Value[] = []): number {
    try {
      const { changes } = prepare(statement).run(...toBindings(values));
      noted.hasChanges ||= changes > 0;
      return changes;
    } catch (error) {
      throw translateError(error, connection.filename);
    }
  }

  function findInsert(table: TableName, existing: string, rowCount: number): Insert {
    const name = `${table} ${existing} ${rowCount}`;
    let found = inserts.get(name);
    if (found === undefined) {
      const columns = columnNames(table);
      const text = insertText(table, columns, existing, rowCount);
      found = { members: memberNames(columns), prepared: prepareStatement(connection, text) };
      inserts.set(name, found);
    }
    return found;
  }

  return {
    all<Row extends object>(statement: Statement<Row>, values?: readonly Value[]) {
      const rows = queryable.all(statement, values);
      noted.hasChanges ||= statement.changes && rows.length > 0;
      return rows;
    },
    run,
    runDeferred: (statement, values) => void run(statement, values),
    insert(table, rows, existing = 'refuse') {
      noted.hasChanges = true;
      try {
        for (let start = 0; start < rows.length; ) {
          const count = rows.length - start >= rowsPerStatement ? rowsPerStatement : 1;
          const { prepared, members } = findInsert(table, existing, count);
          const values: Binding[] = [];
          for (const row of rows.slice(start, start + count)) addValues(values, row, members);
          prepared.run(...values);
          start += count;
        }
      } catch (error) {
        throw translateError(error, connection.filename);
      }
    },
    // SQLite commits every transaction.
    mustCommit() {},
    noteVersion(workspaceId, version) {
      noted.raised = { workspaceId, version };
    },
    get processActor() {
      return readProcessActor();
    },
  };
}

interface Insert {
  readonly prepared: Prepared;
  readonly members: readonly string[];
}

function insertText(
  table: TableName,
  columns: readonly string[],
  existing: string,
  rowCount: number,
): string {
  const row = `(${columns.map(() => '?').join(', ')})`;
  const rows = Array(rowCount).fill(row).join(', ');
  const insert = `INSERT INTO ${table} (${columns.join(', ')}) VALUES ${rows}`;
  return existing === 'refuse' ? insert : `${insert} ${replaceClause(table)}`;
}

function addValues(values: Binding[], row: Row, members: readonly string[]): void {
  for (const member of members) values.push(row[member] ?? null);
}

/**
 * Runs transactions on a connection, one after the other. The caller waits for the end of each. If the disk fails during a
 * commit, the outcome is unknown: the changes can exist when the file is next opened. `guard` is called around each transaction.
 */
export function createTransact(connection: Connection, guard?: CommitGuard): Transact {
  const noted: Changes = { hasChanges: false, raised: undefined };
  const transaction = createTransaction(connection, noted);
  const begin = connection.query('BEGIN IMMEDIATE');
  const commit = connection.query('COMMIT');
  const selectNewer = connection.query(
    `SELECT 1 FROM meta WHERE writer_version > ${writerVersion}`,
  );

  /** Whether this program may write. Only another process can change that. */
  let isKnown = false;

  return async (run) => {
    let committing = false;
    try {
      begin.run();
      const isSame = guard?.begun() === true;
      // A newer program may require that writes maintain more than this program knows.
      if (!(isSame && isKnown) && selectNewer.get() !== null)
        throw new DatabaseUnavailable(newerWriterLine);
      isKnown = true;
      noted.hasChanges = false;
      noted.raised = undefined;
      const result = await run(transaction);
      guard?.counted(noted);
      committing = true;
      commit.run();
      guard?.committed();
      return result;
    } catch (error) {
      if (connection.inTransaction) connection.run('ROLLBACK');
      const translated = translateError(error, connection.filename);
      const isUnknown = committing && sqliteCode(error)?.startsWith('SQLITE_IOERR') === true;
      if (!isUnknown || !(translated instanceof Error)) throw translated;
      throw new DatabaseOutcomeUnknown(translated.message, { cause: error });
    }
  };
}

/** Changes a file that no other process uses, in one transaction. The caller flushes it. */
export async function changeFile<Result>(
  path: string,
  run: (transaction: Transaction) => Promise<Result>,
): Promise<Result> {
  using connection = openWritableConnection(path);
  return await createTransact(connection)(run);
}
