import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { CommandName, DataPath } from './actions.ts';
import { type Approach, approach, excuse, obstacle, recordsOf } from './approach.ts';
import { readContents } from './contents.ts';
import { look } from './disk.ts';
import { checkPromise, promiseOf, setNote } from './lives.ts';
import { isUntouched } from './overwritten.ts';
import { type Ran, runCommand } from './program.ts';
import { countAnimals, idOf, noRecords, type Records } from './records.ts';
import { checkOrphan, isLockHeld, settleCommand, settleRefused } from './serve.ts';
import { addBackup, addFile, addResult, Finding, step, trackLog, type World } from './world.ts';

/** The default of `restore --id-gap`. */
export const idGap = 1_000_000;

const commandArguments: Record<CommandName, (world: World) => string[]> = {
  backup: ({ backups }) => ['backup', `../backups/${backups.length}.db`],
  verify: () => ['verify'],
  migrate: () => ['migrate'],
  'keys create': ({ steps }) => ['keys', 'create', '--name', `key-${steps.length}`],
};

export async function command(world: World, name: CommandName, path: DataPath): Promise<void> {
  const before = approach(world, path);
  const args = commandArguments[name](world);
  const isWriting = name !== 'verify' && name !== 'backup';
  // Read now, because the command may checkpoint the log.
  const contents =
    isWriting && before.suspicion !== undefined ? readContents(before.view.real) : undefined;
  const ran = await runIn(world, [...args, '--database', `sqlite:${path}`]);
  const succeeded = ran.exitCode === 0;
  const creates = name === 'keys create';
  checkOrphan(world, before, { creates, succeeded, message: ran.stderr, createData: 'auto' });
  if (succeeded && isWriting) checkPaths(before, name);
  const { data } = before;
  if (data === undefined) {
    if (succeeded) adoptNew(world, before, name);
    return;
  }
  const mayFail =
    excuse(world, before) !== undefined ||
    (name === 'migrate' && (before.served.length > 0 || isLockHeld(world, before)));
  if (!succeeded && !mayFail) {
    const kind = name === 'verify' ? 'verify-disagrees' : 'refused';
    throw new Finding(
      data.isRestored ? 'damaged-after-restore' : kind,
      `${name} fails: ${ran.stderr}${ran.stdout}`,
    );
  }
  if (succeeded && contents !== undefined && before.served.length === 0) {
    checkPromise(before.note, contents.full, `${name} writes to a file that lost writes`);
  }
  if (before.isAside) return;
  if (succeeded) settleCommand(world, before);
  else settleRefused(world, before);
  if (!succeeded || data.ruinedBy !== undefined || name !== 'verify') return;
  checkVerified(world, data.full, ran.stdout, data.isRestored);
}

export async function backUp(world: World, path: DataPath): Promise<void> {
  const before = approach(world, path);
  const file = join(world.outer, 'backups', `${world.backups.length}.db`);
  await command(world, 'backup', path);
  if (!existsSync(file)) return;
  const { data } = before;
  const isKnown = data !== undefined && (data.ruinedBy ?? data.touchedBy) === undefined;
  addBackup(world, isKnown ? recordsOf(before) : undefined);
}

/** A command must not write by another path than a server, with another log. */
export function checkPaths({ served, view }: Approach, name: string): void {
  const other = served.filter(isUntouched).find(({ opened }) => opened.log !== view.log);
  if (other !== undefined) {
    throw new Finding(
      'two-servers by two paths',
      `${name} writes to ${view.real}, which a server has open as ${other.opened.real}`,
    );
  }
}

function adoptNew(world: World, { path, wasHere }: Approach, name: string): void {
  const { real, file, bytes } = look(join(world.folder, path));
  if (file === undefined || bytes === 0) return;
  world.hadData.add(real);
  const data = addFile(world, real, { base: noRecords, full: noRecords });
  data.log = trackLog(world, `${real}-wal`);
  setNote(world, real, data);
  if (wasHere)
    throw new Finding('empty-shop', `${name} creates new data in the place of lost data`);
}

function checkVerified(
  world: World,
  records: Records | undefined,
  stdout: string,
  isRestored: boolean,
): void {
  const [, animals, nextId] = /^default +(\d+) +(\d+)$/m.exec(stdout) ?? [];
  const count = records && countAnimals(records);
  const isUnsure = count === undefined || world.unknown.size > 0;
  const kind = isRestored ? 'damaged-after-restore' : 'verify-disagrees';
  if (!isUnsure && Number(animals) !== count) {
    throw new Finding(kind, `verify counts ${animals} animals, and there are ${count}`);
  }
  const given = [...(records?.given ?? [])].filter((row) => row.startsWith('pet ')).map(idOf);
  const last = Math.max(0, ...given);
  if (nextId !== undefined && Number(nextId) <= last) {
    throw new Finding('id-twice', `the next id is ${nextId}, and ${last} was assigned`);
  }
}

export async function restore(world: World, path: DataPath, number: number): Promise<void> {
  const backup = world.backups[number % Math.max(1, world.backups.length)];
  if (backup === undefined) return;
  const before = approach(world, path);
  const ran = await runIn(world, ['restore', backup.path, '--database', `sqlite:${path}`]);
  const succeeded = ran.exitCode === 0;
  checkOrphan(world, before, { creates: false, succeeded, message: '', createData: 'auto' });
  if (ran.exitCode !== 0) {
    const mayFail = before.served.length > 0 || obstacle(world, before) !== undefined;
    if (!mayFail) throw new Finding('refused', `restore fails: ${ran.stderr}`);
    settleRefused(world, before);
    return;
  }
  checkPaths(before, 'restore');
  if (before.served.some(isUntouched)) {
    throw new Finding('two-servers by one path', 'a restore replaces the file of a running server');
  }
  const { real } = look(join(world.folder, path));
  const records = backup.records && raiseIds(world, backup.records, before);
  // The replaced file is kept under another name.
  if (before.data !== undefined) settleCommand(world, before);
  world.hadData.add(real);
  const data = addFile(world, real, {
    base: records,
    full: records,
    isRestored: true,
    log: trackLog(world, `${real}-wal`),
  });
  setNote(world, real, data);
}

/** New ids must be above those of the replaced data. Without replaced data, they are far above those of the backup. */
function raiseIds({ given }: World, records: Records, before: Approach): Records {
  const { data, note } = before;
  const last = Math.max(0, ...[...records.given].map(idOf));
  const farBelow = (rows: ReadonlySet<string>) =>
    new Set([...rows].filter((row) => idOf(row) <= last + idGap));
  if (data?.full !== undefined && data.ruinedBy === undefined) {
    const promised = farBelow(promiseOf(note)?.given ?? new Set());
    return { ...records, given: records.given.union(data.full.given).union(promised) };
  }
  return { ...records, given: records.given.union(farBelow(given)) };
}

export async function runIn(world: World, args: readonly string[]): Promise<Ran> {
  step(world, `animal-store ${args.join(' ')}`);
  const ran = await runCommand(args, world.folder);
  if (ran.exitCode === undefined) throw new Finding('hang', `${args[0]} does not end`);
  const [line = ''] = (ran.exitCode === 0 ? ran.stdout : ran.stderr).trim().split('\n');
  addResult(world, `${ran.exitCode}: ${line}`);
  return ran;
}
