import { DatabaseUnusable } from '../../domain/database/database-error.ts';
import { readUnfinishedCopy } from '../meta.ts';
import type { Queryable } from '../queryable.ts';
import type { TableName } from '../schema/tables.ts';
import { compareDatabases, fingerprintOf, type TableComparison } from './compare.ts';
import {
  appendedTables,
  appendRows,
  beginCopy,
  type CopySource,
  type CopyTarget,
  countRows,
  finishCopy,
  readLastKey,
  readTable,
} from './copy.ts';

/** How a copy shows how far it is. */
export interface CopyProgress {
  /** Called if the target already has these rows of an interrupted copy. */
  onContinue(rows: number): void;
  /** Shows a step until it is disposed of. */
  start(title: string, totalRows: number): Promise<Disposable & { add(rows: number): void }>;
}

export interface CopyResult {
  readonly tables: readonly TableComparison[];
  /** Tables that differ. If there are any, the copy is not finished, and no server opens the target. */
  readonly different: readonly TableName[];
  /** Whether the target was a complete copy before, so that nothing was copied. */
  readonly wasComplete: boolean;
}

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
  if (!wasComplete && different.length === 0) await finishCopy(target);
  return { tables, different, wasComplete };
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
  const last = await withSnapshot(target, (copied) => readLastKey(copied, table));
  const batches = readTable(snapshot, table, last);
  let batch = await batches.next();
  while (!batch.done) {
    const rows = batch.value;
    // Reads the next rows while these are written.
    [batch] = await Promise.all([batches.next(), appendRows(target, table, rows)]);
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
