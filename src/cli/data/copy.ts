import { realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { type DatabaseLocation, parseDatabaseUrl } from '../../ops/config.ts';
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
} from '../../storage/copies/copy.ts';
import { readUnfinishedCopy } from '../../storage/meta.ts';
import type { Queryable } from '../../storage/queryable.ts';
import type { TableName } from '../../storage/schema/tables.ts';
import { addSettings, CommandFailure, misused, settingsOf } from '../../terminal/command-line.ts';
import { compareDatabases, fingerprintOf, type TableComparison } from './compare-databases.ts';
import { openCopySource, openCopyTarget } from '../open-database.ts';
import { pluralize, print, printTable } from '../../terminal/print.ts';
import { startProgress } from '../../terminal/progress.ts';

const help = `
Stop the servers of both databases first. Start them on the target after the copy. The copy has all animals, categories,
orders, events, workspaces, keys, responses stored under an Idempotency-Key, counts of deprecated calls, the audit
trail, and the id counters. It has no sessions of the console. At the end the command reads both databases and compares
them row by row. It fails if the source changed during the copy. It does not change the source.

To continue an interrupted copy, run the same command again. Until the copy is complete, no server opens the target.

Every user of the machine can read a command line: leave the password out of the URL, and set PGPASSWORD.`;

export function addCopyCommand(program: Command): void {
  const command = program
    .command('copy')
    .description('Copy all data to an empty database, on SQLite or PostgreSQL.')
    .requiredOption(
      '--from <url>',
      'database to copy: sqlite:PATH or postgres://USER@HOST:PORT/NAME',
    )
    .requiredOption(
      '--to <url>',
      'empty database to copy to; a missing SQLite file or missing tables are created',
    )
    .addHelpText('after', help);
  addSettings(command, ['allowDataLoss']).action(async (options: { from: string; to: string }) => {
    const faults: string[] = [];
    const from = readLocation('--from', options.from, faults);
    const to = readLocation('--to', options.to, faults);
    if (from !== undefined && to !== undefined && isSameDatabase(from, to)) {
      faults.push('--from and --to must be different databases');
    }
    const { allowDataLoss } = settingsOf(command, ['allowDataLoss'], faults);
    if (from === undefined || to === undefined) throw misused(...faults);

    await using source = await openCopySource(from);
    await using target = await openCopyTarget(to, allowDataLoss);
    await copyDatabase(source, target);
  });
}

function readLocation(flag: string, text: string, faults: string[]): DatabaseLocation | undefined {
  const parsed = parseDatabaseUrl(text);
  if ('value' in parsed) return parsed.value;
  faults.push(`${flag} must be ${parsed.mustBe}`);
  return undefined;
}

function isSameDatabase(from: DatabaseLocation, to: DatabaseLocation): boolean {
  if (from.engine === 'sqlite' && to.engine === 'sqlite') {
    return realPath(from.path) === realPath(to.path);
  }
  return from.engine === 'postgres' && to.engine === 'postgres' && from.url === to.url;
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    // Not there yet.
    return resolve(path);
  }
}

async function copyDatabase(source: CopySource, target: CopyTarget): Promise<void> {
  const isOurs = await copyRows(source, target);
  const tables = await compare(source, target, !isOurs);
  const different = tables.filter(({ isSame }) => !isSame).map(({ table }) => table);
  if (!isOurs && different.length > 0) {
    throw new CommandFailure([
      'The target holds other data, and nothing was copied: choose an empty database',
    ]);
  }
  printComparison(tables);
  if (different.length > 0) {
    throw new CommandFailure([
      `The copy differs from its source in ${different.join(', ')}: stop all writers of both databases, empty the target and start again`,
    ]);
  }
  if (isOurs) await finishCopy(target);
  print(
    isOurs
      ? 'The copy is complete and identical to the source.'
      : 'The target is already a complete copy, identical to the source.',
  );
}

/** Copies all that is not there yet. False, and nothing done, where the target holds anything else. */
async function copyRows(source: CopySource, target: CopyTarget): Promise<boolean> {
  await using snapshot = await source.openSnapshot();
  const mark = await fingerprintOf(snapshot);
  const found = await withSnapshot(target, readUnfinishedCopy);
  if (found === undefined) {
    const { value: [metaRow] = [] } = await readTable(snapshot, 'meta').next();
    if (metaRow === undefined)
      throw new CommandFailure(['The source is damaged: table meta is empty']);
    if (!(await beginCopy(target, mark, metaRow))) return false;
  } else if (found !== mark) {
    throw new CommandFailure([
      'The target holds an unfinished copy of other data or of an older state of the source; empty it and start again',
    ]);
  }

  // What is there by itself in data that holds nothing else: its row of meta.
  const done = (await withSnapshot(target, countRows)) - 1;
  if (found !== undefined) print(`Continuing after ${pluralize(done, 'row')}.`);
  using progress = await startProgress('copying rows', (await countRows(snapshot)) - 1);
  progress.add(done);
  for (const table of appendedTables) await copyTable(snapshot, target, table, progress.add);
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
    // The next rows are read while these are written.
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
): Promise<readonly TableComparison[]> {
  // As they stand now: whatever was changed since the rows were read is to be noticed.
  await using inSource = await source.openSnapshot();
  await using inTarget = await target.openSnapshot();
  using progress = await startProgress('comparing rows', await countRows(inSource));
  return await compareDatabases(inSource, inTarget, untilDifferent, progress.add);
}

function printComparison(tables: readonly TableComparison[]): void {
  printTable(
    ['TABLE', 'ROWS', 'SHA-256'],
    tables.map(({ table, source, target }) => [
      table,
      both(String(source.rowCount), String(target.rowCount)),
      both(source.checksum, target.checksum),
    ]),
  );
}

function both(inSource: string, inTarget: string): string {
  return inSource === inTarget ? inSource : `${inSource}, copied ${inTarget}`;
}
