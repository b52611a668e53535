import type { Queryable, Snapshot, Transact } from '../queryable.ts';
import { columnNames, copiedTables, counters, type TableName, tables } from '../schema/tables.ts';
import { type Statement, statement } from '../statement.ts';
import { deleteOwnRows } from './local-rows.ts';

/** Data that is read completely. No copy to it is unfinished. */
export interface CopySource extends AsyncDisposable {
  openSnapshot(): Promise<Snapshot>;
}

/**
 * Data that one process copies other data to. From `beginCopy` to `finishCopy` it has a mark, and no server opens it. Each step
 * is one transaction and on disk when it returns, so that the last rows show how far the copy is.
 */
export interface CopyTarget extends CopySource {
  readonly transact: Transact;
}

/** A row as it is copied: a value for each column, exact and the same in both engines. */
export type CopiedRow = Readonly<Record<string, bigint | string | null>>;

/** Tables with any number of rows. `meta` has one row, which is written when a copy begins. */
export const appendedTables = copiedTables.filter((name) => name !== 'meta');

/** The statements that read each table. */
const statements = new Map(
  copiedTables.map((name) => {
    const { key } = tables[name];
    const order = key.join(', ');
    const reversed = key.map((column) => `${column} DESC`).join(', ');
    const parameters = key.map((_, index) => `$${index + 1}`).join(', ');
    const select = `SELECT ${columnNames(name).join(', ')} FROM ${name}`;
    const made: TableStatements = {
      first: statement<CopiedRow>(`${select} ORDER BY ${order} LIMIT $1`),
      above: statement<CopiedRow>(
        `${select} WHERE (${order}) > (${parameters}) ORDER BY ${order} LIMIT $${key.length + 1}`,
      ),
      last: statement<CopiedRow>(`SELECT ${order} FROM ${name} ORDER BY ${reversed} LIMIT 1`),
      count: statement<{ count: number }>(`SELECT count(*) AS count FROM ${name}`, ['count']),
    };
    return [name, made];
  }),
);

function statementsOf(name: TableName): TableStatements {
  const found = statements.get(name);
  if (found === undefined) throw new Error(`The table ${name} is not copied`);
  return found;
}

interface TableStatements {
  readonly first: Statement<CopiedRow>;
  readonly above: Statement<CopiedRow>;
  readonly last: Statement<CopiedRow>;
  readonly count: Statement<{ count: number }>;
}

/** The rows of one transaction. It is short enough for the time limits of both engines. */
const batchRowsMax = 5000;

/** All rows of a table, or those after a row, in batches that are never empty. */
export async function* readTable(
  queryable: Queryable,
  name: TableName,
  above?: CopiedRow,
): AsyncGenerator<readonly CopiedRow[], undefined> {
  const { key } = tables[name];
  const select = statementsOf(name);
  for (let last = above; ; ) {
    const rows =
      last === undefined
        ? await queryable.all(select.first, [batchRowsMax])
        : await queryable.all(select.above, [...valuesOf(last, key), batchRowsMax]);
    last = rows.at(-1);
    if (last === undefined) return undefined;
    yield rows;
    // If all rows are ready at once, a signal would otherwise wait for the last batch.
    await new Promise(setImmediate);
  }
}

function valuesOf(row: CopiedRow, columns: readonly string[]): readonly (bigint | string | null)[] {
  return columns.map((column) => row[column] ?? null);
}

/** The key of the last row of a table, or undefined if the table is empty. */
export async function readLastKey(
  queryable: Queryable,
  name: TableName,
): Promise<CopiedRow | undefined> {
  const [row] = await queryable.all(statementsOf(name).last);
  return row;
}

/** The number of rows of all tables. */
export async function countRows(queryable: Queryable): Promise<number> {
  const counts = await Promise.all(
    copiedTables.map((name) => queryable.all(statementsOf(name).count)),
  );
  return counts.flat().reduce((sum, { count }) => sum + count, 0);
}

// A server that claims the data at the same time does so before, and the data is not new, or after, and is rejected.
const lockMeta = statement('SELECT 1 FROM meta FOR UPDATE');

const initialCounters = (table: 'meta' | 'workspaces') =>
  counters
    .filter((counter) => counter.table === table)
    .map(({ column, first = 1 }) => `${column} = ${first}`)
    .join(' AND ');

const selectNew = statement<{ new: bigint }>(`
  SELECT 1 AS new FROM meta
  WHERE environment IS NULL AND unfinished_copy_of IS NULL AND audit_count = 0 AND ${initialCounters('meta')}
    AND NOT EXISTS (SELECT 1 FROM workspaces WHERE NOT (version = 0 AND ${initialCounters('workspaces')}))
    ${appendedTables
      .filter((name) => name !== 'workspaces')
      .map((name) => `AND NOT EXISTS (SELECT 1 FROM ${name})`)
      .join(' ')}`);

const deleteWorkspaces = statement('DELETE FROM workspaces');

const metaColumns = columnNames('meta').filter((column) => column !== 'id');
const updateMeta = statement(`
  UPDATE meta SET unfinished_copy_of = $1, ${metaColumns
    .map((column, index) => `${column} = $${index + 2}`)
    .join(', ')}`);

/** Empties new data, marks it and writes its row of `meta`. Returns false and changes nothing if the data is not new. */
export function beginCopy(
  { transact }: CopyTarget,
  mark: string,
  metaRow: CopiedRow,
): Promise<boolean> {
  return transact(async (transaction) => {
    await transaction.all(lockMeta);
    if ((await transaction.all(selectNew)).length === 0) return false;
    await transaction.run(deleteWorkspaces);
    await deleteOwnRows(transaction);
    await transaction.run(updateMeta, [mark, ...valuesOf(metaRow, metaColumns)]);
    return true;
  });
}

/** Adds rows after the last row. */
export function appendRows(
  { transact }: CopyTarget,
  name: TableName,
  rows: readonly CopiedRow[],
): Promise<void> {
  return transact(async (transaction) => transaction.insert(name, rows));
}

const clearMark = statement('UPDATE meta SET unfinished_copy_of = NULL');

/** Removes the mark. */
export async function finishCopy({ transact }: CopyTarget): Promise<void> {
  await transact((transaction) => Promise.resolve(transaction.run(clearMark)));
}

/** A row as one line of JSON with exact digits. Checksums are made of these lines. */
export function rowText(name: TableName, row: CopiedRow): string {
  const values = valuesOf(row, columnNames(name)).map((value) =>
    typeof value === 'string' ? JSON.stringify(value) : String(value),
  );
  return `[${values.join(',')}]\n`;
}
