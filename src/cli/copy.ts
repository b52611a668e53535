import { realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { int64Max } from '../domain/int64.ts';
import {
  type AppendedTable,
  appendedTables,
  lowestKeys,
  readTable,
  type TransferKey,
  type TransferSnapshot,
  type TransferSource,
  type TransferTarget,
} from '../domain/transfer.ts';
import { type DatabaseLocation, parseDatabaseUrl } from '../ops/config.ts';
import { addSettings, CommandFailure, misused, settingsOf } from './command-line.ts';
import { compareStores, fingerprintOf, type TableComparison } from './compare-stores.ts';
import { openTransferSource, openTransferTarget } from './open-database.ts';
import { counted, print, printTable } from './print.ts';
import { startProgress } from './progress.ts';

const help = `
Stop the servers of both stores first, and start them on the target when it is done. All is copied: animals,
workspaces, keys, answers kept for an Idempotency-Key, and the counters of ids. In the end both stores are read and
compared row by row; where the source was written to meanwhile, the copy fails. The source is not changed.

A copy that was interrupted, however that happened, goes on where it stood when it is started again. Until it is
complete, no server opens the target.

A command line is there for every user of the machine to read: leave the password out of the address, and give it as
PGPASSWORD.`;

export function addCopyCommand(program: Command): void {
  const command = program
    .command('copy')
    .description('Copy everything from one store to another, empty one, of either engine.')
    .requiredOption('--from <url>', 'store to copy: sqlite:PATH or postgres://USER@HOST:PORT/NAME')
    .requiredOption('--to <url>', 'empty store to copy it to, which is made when missing')
    .addHelpText('after', help);
  addSettings(command, ['allowDataLoss']).action(async (options: { from: string; to: string }) => {
    const faults: string[] = [];
    const from = readLocation('--from', options.from, faults);
    const to = readLocation('--to', options.to, faults);
    if (from !== undefined && to !== undefined && isSameStore(from, to)) {
      faults.push('--from and --to must be different stores');
    }
    const { allowDataLoss } = settingsOf(command, ['allowDataLoss'], faults);
    if (from === undefined || to === undefined) throw misused(...faults);

    await using source = await openTransferSource(from);
    await using target = await openTransferTarget(to, allowDataLoss);
    await copyStore(source, target);
  });
}

function readLocation(flag: string, text: string, faults: string[]): DatabaseLocation | undefined {
  const parsed = parseDatabaseUrl(text);
  if ('value' in parsed) return parsed.value;
  faults.push(`${flag} must be ${parsed.mustBe}`);
  return undefined;
}

/** Of two databases of PostgreSQL only the address tells, which may be written in many ways. */
function isSameStore(from: DatabaseLocation, to: DatabaseLocation): boolean {
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

async function copyStore(source: TransferSource, target: TransferTarget): Promise<void> {
  const isOurs = await copyRows(source, target);
  const tables = await compare(source, target, !isOurs);
  const different = tables.filter(({ isSame }) => !isSame).map(({ table }) => table);
  if (!isOurs && different.length > 0) {
    throw new CommandFailure([
      'The target holds something else already, and nothing was copied: name an empty one',
    ]);
  }
  printComparison(tables);
  if (different.length > 0) {
    throw new CommandFailure([
      `The copy differs from its source in ${different.join(', ')}: stop whatever writes to either, empty the target and start again`,
    ]);
  }
  if (isOurs) await target.finish();
  print(
    isOurs
      ? 'The copy is complete, and the same as its source.'
      : 'The target was a complete copy already, the same as its source.',
  );
}

/** Copies all that is not there yet. False, and nothing done, where the target holds anything else. */
async function copyRows(source: TransferSource, target: TransferTarget): Promise<boolean> {
  await using snapshot = await source.openSnapshot();
  const mark = await fingerprintOf(snapshot);
  const found = await target.readMark();
  if (found === undefined) {
    const [storeRow] = await snapshot.readRows('store', lowestKeys.store, 1);
    if (storeRow === undefined) throw new CommandFailure(['The source has lost its row of store']);
    if (!(await target.begin(mark, storeRow))) return false;
  } else if (found !== mark) {
    throw new CommandFailure([
      'The target holds an unfinished copy of another store, or of this one before it changed: empty it and start again',
    ]);
  }

  const done = await countAnimals(snapshot, await target.readLastKey('pets'));
  if (found !== undefined) print(`Going on after ${counted(done, 'animal')}.`);
  using progress = await startProgress('copying animals', await countAnimals(snapshot));
  progress.add(done);
  for (const table of appendedTables) {
    await copyTable(snapshot, target, table, table === 'pets' ? progress.add : () => {});
  }
  return true;
}

async function copyTable(
  snapshot: TransferSnapshot,
  target: TransferTarget,
  table: AppendedTable,
  onRows: (count: number) => void,
): Promise<void> {
  const batches = readTable(snapshot, table, await target.readLastKey(table));
  let batch = await batches.next();
  while (!batch.done) {
    const rows = batch.value;
    // The next rows are read while these are written.
    [batch] = await Promise.all([batches.next(), target.append(table, rows)]);
    onRows(rows.length);
  }
}

/** How many animals there are up to a key: none is ever deleted by itself, so the counters of ids tell. */
async function countAnimals(
  snapshot: TransferSnapshot,
  upTo: TransferKey = [int64Max, 0n],
): Promise<number> {
  const [lastWorkspaceId = 0n, lastId = 0n] = upTo.map((value) => BigInt(value ?? 0));
  let count = 0n;
  for await (const rows of readTable(snapshot, 'workspaces')) {
    for (const [workspaceId, , nextId] of rows) {
      if (workspaceId === lastWorkspaceId) count += lastId;
      else if (BigInt(workspaceId ?? 0) < lastWorkspaceId) count += BigInt(nextId ?? 1) - 1n;
    }
  }
  return Number(count);
}

async function compare(
  source: TransferSource,
  target: TransferTarget,
  untilDifferent: boolean,
): Promise<readonly TableComparison[]> {
  // As they stand now: whatever was changed since the rows were read is to be noticed.
  await using inSource = await source.openSnapshot();
  await using inTarget = await target.openSnapshot();
  using progress = await startProgress('comparing animals', await countAnimals(inSource));
  return await compareStores(inSource, inTarget, untilDifferent, progress.add);
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
