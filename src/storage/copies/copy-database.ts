import { DatabaseUnusable } from '../contract/database-error.ts';
import { readUnfinishedCopy } from '../meta-row.ts';
import type { Queryable, Snapshot, Transact, Transaction } from '../queryable.ts';
import {
  columnList,
  columnNames,
  copiedTables,
  counters,
  localTables,
  memberNames,
  type TableName,
  tables,
} from '../schema/tables.ts';
import { statement } from '../statement.ts';
import { countPausedWebhooks } from '../webhooks/pause.ts';
import {
  type CopiedRow,
  compareDatabases,
  fingerprintOf,
  readTable,
  type TableComparison,
} from './compare.ts';

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

/** Tables with any number of rows. `meta` has one row, which is written when a copy begins. */
export const appendedTables = copiedTables.filter((name) => name !== 'meta');

/** How a copy shows how far it is. */
interface CopyProgress {
  /** Called if the target already has these rows of an interrupted copy. */
  onContinue(rows: number): void;
  /** Shows a step until it is disposed of. */
  start(title: string, totalRows: number): Promise<Disposable & { add(rows: number): void }>;
}

interface CopyResult {
  readonly tables: readonly TableComparison[];
  /** Tables that differ. If there are any, the copy is not finished, and no server opens the target. */
  readonly different: readonly TableName[];
  /** Whether the target was a complete copy before, so that nothing was copied. */
  readonly wasComplete: boolean;
  /** The webhooks of the target that are paused. All are, unless a client has resumed them since an earlier copy. */
  readonly pausedWebhooks: number;
}

const clearMark = statement('UPDATE meta SET unfinished_copy_of = NULL');

/**
 * Copies all rows to an empty target, or continues an interrupted copy, and compares both databases row by row.
 * @throws DatabaseUnusable with one line for the operator, if the target holds other data.
 */
export async function copyDatabase(
  source: CopySource,
  target: CopyTarget,
  progress: CopyProgress,
): Promise<CopyResult> {
  const wasComplete = !(await copyRows(source, target, progress));
  const tables = await compare(source, target, wasComplete, progress);
  const different = tables.filter(({ isSame }) => !isSame).map(({ table }) => table);
  if (wasComplete && different.length > 0) {
    throw new DatabaseUnusable(
      'The target holds other data, and nothing was copied: choose an empty database',
    );
  }
  if (!wasComplete && different.length === 0) {
    await target.transact(async (transaction) => transaction.run(clearMark));
  }
  const pausedWebhooks = await withSnapshot(target, countPausedWebhooks);
  return { tables, different, wasComplete, pausedWebhooks };
}

/** Copies the rows that the target lacks. Returns false and changes nothing if the target holds anything else. */
async function copyRows(
  source: CopySource,
  target: CopyTarget,
  { onContinue, start }: CopyProgress,
): Promise<boolean> {
  await using snapshot = await source.openSnapshot();
  const mark = await fingerprintOf(snapshot);
  const found = await withSnapshot(target, readUnfinishedCopy);
  if (found === undefined) {
    const { value: [metaRow] = [] } = await readTable(snapshot, 'meta').next();
    if (metaRow === undefined) {
      throw new DatabaseUnusable('The source is damaged: table meta is empty');
    }
    if (!(await beginCopy(target, mark, metaRow))) return false;
  } else if (found !== mark) {
    throw new DatabaseUnusable(
      'The target holds an unfinished copy of other data or of an older state of the source; empty it and start again',
    );
  }

  // The row of meta is not copied with the others.
  const done = (await withSnapshot(target, countRows)) - 1;
  if (found !== undefined) onContinue(done);
  using step = await start('copying rows', (await countRows(snapshot)) - 1);
  step.add(done);
  for (const table of appendedTables) await copyTable(snapshot, target, table, step.add);
  return true;
}

async function copyTable(
  snapshot: Queryable,
  target: CopyTarget,
  table: TableName,
  onRows: (count: number) => void,
): Promise<void> {
  const last = await withSnapshot(target, (copied) => readLastRow(copied, table));
  const batches = readTable(snapshot, table, last);
  let batch = await batches.next();
  while (!batch.done) {
    const rows = batch.value;
    // Reads the next rows while these are written.
    const append = target.transact(async (transaction) => transaction.insert(table, rows));
    [batch] = await Promise.all([batches.next(), append]);
    onRows(rows.length);
  }
}

async function withSnapshot<Result>(
  source: CopySource,
  read: (snapshot: Queryable) => Promise<Result>,
): Promise<Result> {
  await using snapshot = await source.openSnapshot();
  return await read(snapshot);
}

async function compare(
  source: CopySource,
  target: CopyTarget,
  untilDifferent: boolean,
  { start }: CopyProgress,
): Promise<readonly TableComparison[]> {
  // New snapshots, so that changes since the copy are found.
  await using inSource = await source.openSnapshot();
  await using inTarget = await target.openSnapshot();
  using step = await start('comparing rows', await countRows(inSource));
  return await compareDatabases(inSource, inTarget, untilDifferent, step.add);
}

async function readLastRow(queryable: Queryable, name: TableName): Promise<CopiedRow | undefined> {
  const order = tables[name].key.map((column) => `${column} DESC`).join(', ');
  const selectLast = statement<CopiedRow>(
    `SELECT ${columnList(columnNames(name))} FROM ${name} ORDER BY ${order} LIMIT 1`,
  );
  return (await queryable.all(selectLast))[0];
}

/** The number of rows of all tables. */
async function countRows(queryable: Queryable): Promise<number> {
  const counts = copiedTables.map((name) => `(SELECT count(*) FROM ${name})`);
  const select = statement<{ count: number }>(`SELECT ${counts.join(' + ')} AS count`, ['count']);
  return (await queryable.all(select))[0]?.count ?? 0;
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
function beginCopy({ transact }: CopyTarget, mark: string, metaRow: CopiedRow): Promise<boolean> {
  return transact(async (transaction) => {
    await transaction.all(lockMeta);
    if ((await transaction.all(selectNew)).length === 0) return false;
    await transaction.run(deleteWorkspaces);
    await deleteLocalRows(transaction);
    await transaction.run(updateMeta, [
      mark,
      ...memberNames(metaColumns).map((member) => metaRow[member] ?? null),
    ]);
    return true;
  });
}

const deleteRows = localTables.map((name) => statement(`DELETE FROM ${name}`));

/** Deletes the rows that belong to one database only, in a copy of it. */
export async function deleteLocalRows(transaction: Transaction): Promise<void> {
  for (const deleteAll of deleteRows) await transaction.run(deleteAll);
}
