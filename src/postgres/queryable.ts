import type { ClientBase, QueryConfig } from 'pg';
import type { Queryable, Transaction, Value } from '../storage/queryable.ts';
import {
  columnNames,
  memberNames,
  replaceClause,
  type TableName,
  tables,
} from '../storage/schema/tables.ts';
import { type Statement, toRows } from '../storage/statement.ts';

/** A query with the time limit of the driver, which its types do not have. */
interface LimitedQuery extends QueryConfig {
  readonly query_timeout: number | undefined;
}

/** Converts a statement and its values for the driver. Each connection prepares a statement once. */
export function toQuery(
  { name, postgres: text }: Statement<object>,
  values: readonly Value[] = [],
  queryMillisecondsMax?: number,
): LimitedQuery {
  return { name, text, values: [...values], query_timeout: queryMillisecondsMax };
}

/** Runs statements on a connection, with a longer time limit if one is given. */
export function queryableOf(client: ClientBase, queryMillisecondsMax?: number): Queryable {
  return {
    async all<Row extends object>(statement: Statement<Row>, values?: readonly Value[]) {
      const query = toQuery(statement, values, queryMillisecondsMax);
      return toRows(statement, (await client.query<Row>(query)).rows);
    },
  };
}

/** Runs statements on a connection that has begun a transaction. */
export function transactionOf(client: ClientBase, queryMillisecondsMax?: number) {
  /** Statements that run without being waited for, and whether the transaction has changes to commit. */
  const progress = { sent: [] as Promise<unknown>[], hasChanges: false };
  const queryable = queryableOf(client, queryMillisecondsMax);

  function send(query: LimitedQuery): void {
    progress.hasChanges = true;
    const answer = client.query(query);
    // The commit reports the failure.
    answer.catch(() => {});
    progress.sent.push(answer);
  }

  const transaction: Transaction = {
    all(statement, values) {
      progress.hasChanges ||= statement.changes;
      return queryable.all(statement, values);
    },
    async run(statement, values) {
      progress.hasChanges = true;
      const query = toQuery(statement, values, queryMillisecondsMax);
      return (await client.query(query)).rowCount ?? 0;
    },
    runDeferred: (statement, values) => send(toQuery(statement, values, queryMillisecondsMax)),
    insert(table, rows, existing = 'refuse') {
      if (rows.length === 0) return;
      const { members, name, text } = findInsert(table, existing);
      // Each column of all rows is one array.
      const values = members.map((member) => rows.map((row) => row[member]));
      send({ name, text, values, query_timeout: queryMillisecondsMax });
    },
    mustCommit() {
      progress.hasChanges = true;
    },
    processActor: undefined,
  };
  return { transaction, progress };
}

const arrayTypes = { int8: 'bigint[]', 'int8?': 'bigint[]', text: 'text[]', 'text?': 'text[]' };

/** The inserts of each table, made once. */
const inserts = new Map<string, ReturnType<typeof makeInsert>>();

function findInsert(table: TableName, existing: 'refuse' | 'replace') {
  const name = `insert ${table} ${existing}`;
  let found = inserts.get(name);
  if (found === undefined) {
    found = makeInsert(name, table, existing);
    inserts.set(name, found);
  }
  return found;
}

function makeInsert(name: string, table: TableName, existing: 'refuse' | 'replace') {
  return { name, text: insertText(table, existing), members: memberNames(columnNames(table)) };
}

function insertText(table: TableName, existing: 'refuse' | 'replace'): string {
  const columns = columnNames(table);
  const types = Object.values(tables[table].columns);
  const arrays = types.map((type, index) => `$${index + 1}::${arrayTypes[type]}`);
  const insert = `
    INSERT INTO ${table} (${columns.join(', ')}) SELECT * FROM unnest(${arrays.join(', ')})`;
  return existing === 'refuse' ? insert : `${insert} ${replaceClause(table)}`;
}
