import { join } from 'node:path';
import { readContents } from './contents.ts';
import { isGone, look, sizeOf, type TrackedFile, type View } from './disk.ts';
import { freeze, noteAt } from './lives.ts';
import { adoptRows, compareRows, type Records, recordsOfRows, type ServedRows } from './records.ts';
import {
  addFile,
  type DataFile,
  Finding,
  type Kind,
  type LifeNote,
  type RunningServer,
  trackLog,
  type World,
  withoutLog,
} from './world.ts';

/** The files that a program will find at a path. */
export interface Approach {
  readonly path: string;
  readonly view: View;
  readonly data: DataFile | undefined;
  /** The log of a file that was moved away or removed, with records that exist only here. */
  readonly orphan: TrackedFile | undefined;
  /** Whether the path had data before, and files beside it are left. */
  readonly wasHere: boolean;
  readonly served: RunningServer[];
  /** Whether a server has the file open by another path, with another log. */
  readonly isAside: boolean;
  readonly note: LifeNote | undefined;
  /** Why a program may refuse the file, although the system lets it read and write. */
  readonly suspicion: string | undefined;
}

export function approach(world: World, path: string): Approach {
  const view = look(join(world.folder, path));
  const isEmpty = view.file === undefined || view.bytes === 0;
  const data = isEmpty ? undefined : findData(world, view);
  const log = view.log === undefined ? undefined : trackLog(world, `${view.real}-wal`);
  if (data !== undefined && view.logBytes > 0 && log !== data.log) {
    data.ruinedBy ??= 'the log of another file beside it';
  }
  const served = data === undefined ? [] : world.servers.filter((running) => running.data === data);
  const note = noteAt(world, view.real);
  return {
    path,
    view,
    data,
    orphan: data === undefined && view.logBytes > 0 ? log : undefined,
    wasHere:
      isEmpty &&
      world.hadData.has(view.real) &&
      (view.lock !== undefined || view.log !== undefined || view.life !== undefined),
    served,
    isAside: served.length > 0 && view.log !== data?.log?.key,
    note,
    suspicion: data && suspicionOf(data, view, note),
  };
}

function findData(world: World, view: View): DataFile {
  const known = view.file === undefined ? undefined : world.files.get(view.file);
  if (known !== undefined) return known;
  return addFile(world, view.real, {
    base: undefined,
    full: undefined,
    ruinedBy: 'an interrupted command',
  });
}

function suspicionOf(data: DataFile, view: View, note: LifeNote | undefined): string | undefined {
  if (data.touchedBy !== undefined) return data.touchedBy;
  const hasItsLog = data.log === undefined || sizeOf(data.log) === 0 || view.log === data.log.key;
  if (note === undefined) {
    const isWithoutLog = view.logBytes === 0 || !hasItsLog;
    return data.isMarked && isWithoutLog ? 'the mark of a server, without a log' : undefined;
  }
  if (note.data !== data) return 'a NAME.life of another file';
  if (note.frozen !== undefined) return 'a NAME.life of another time';
  return hasItsLog ? undefined : 'a log that was moved away';
}

/** What a program finds at the path of this file. */
export function recordsOf({ data, isAside }: Approach): Records | undefined {
  return data && isAside ? withoutLog(data) : data?.full;
}

/** Why a program may fail here, although the data is sound; undefined if it must not. */
export function excuse(world: World, before: Approach): string | undefined {
  return obstacle(world, before) ?? before.data?.ruinedBy ?? before.suspicion;
}

/** Why a program may fail here, with any contents of the file. */
export function obstacle(world: World, { view, data }: Approach): string | undefined {
  const isHeld = world.servers.some(({ opened }) => opened.lock === view.lock);
  if (view.lock !== undefined && isHeld && data === undefined) return 'a server holds the lock';
  if (view.lockBytes > 0) return 'the lock file was overwritten';
  if (view.links > 1) return 'the file has several links';
  if (view.isLinkLoop) return 'the path is a loop of links';
  return undefined;
}

/** Updates the model after a program: whether the log was checkpointed into the file. */
export function settle(world: World, before: Approach): View {
  const view = look(join(world.folder, before.path));
  const { data } = before;
  if (data === undefined || view.file !== data.tracked.key) return view;
  settleData(world, data, view, before.view.log === data.log?.key);
  return view;
}

function settleData(world: World, data: DataFile, view: View, hadItsLog: boolean): void {
  world.hadData.add(view.real);
  if (!hadItsLog && data.log !== undefined) loseLog(world, data);
  else if (view.logBytes === 0 || view.log !== data.log?.key) data.base = data.full;
  data.log = view.log === undefined ? undefined : trackLog(world, `${view.real}-wal`);
}

export function loseLog(world: World, data: DataFile): void {
  if (data.log === undefined) return;
  if (data.base !== data.full) freeze(world, data);
  data.full = withoutLog(data);
  data.base = data.full;
  data.log = undefined;
}

/** After a server ended without SIGKILL, the file has all records, also if it was renamed. */
export function settleEnded({ data }: RunningServer): void {
  data.base = data.full;
  data.isMarked = false;
  if (data.log !== undefined && (isGone(data.log) || sizeOf(data.log) === 0)) data.log = undefined;
}

/** After a change in place, the model has what SQLite would recover. */
export function adoptContents(world: World, data: DataFile, real: string, by: string): void {
  freeze(world, data);
  const { base, full } = readContents(real);
  data.touchedBy = by;
  data.ruinedBy = full === undefined ? by : undefined;
  data.full = full && recordsOfRows(full);
  data.base = base && recordsOfRows(base);
  data.log = trackLog(world, `${real}-wal`);
}

/** Compares the served rows with the model, and updates the model. */
export function observe(world: World, data: DataFile, served: ServedRows): void {
  if (data.ruinedBy !== undefined) return;
  if (data.full !== undefined) {
    const { lost, strange } = compareRows(data.full, served, world.unknown);
    const kind = (other: Kind) => (data.isRestored ? 'damaged-after-restore' : other);
    if (lost.length > 0) throw new Finding(kind('lost-records'), `not served: ${lost.join(', ')}`);
    if (strange.length > 0) {
      throw new Finding(kind('strange-records'), `never acknowledged here: ${strange.join(', ')}`);
    }
  }
  const isCheckpointed = data.base === data.full;
  data.full = adoptRows(served, data.full);
  if (isCheckpointed) data.base = data.full;
}
