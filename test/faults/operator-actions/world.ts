import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from '../mounts.ts';
import { makeWallClock, missingForWallClock } from '../wall-clock.ts';
import {
  isGone,
  listMounts,
  look,
  release,
  sizeOf,
  type TrackedFile,
  track,
  type View,
} from './disk.ts';
import type { Program, Server } from './program.ts';
import { adoptRows, between, compareRows, type Records, type ServedRows } from './records.ts';

/** Findings are counted by kind. */
export type Kind =
  | 'damaged-after-restore'
  | 'lost-records'
  | 'strange-records'
  | 'empty-shop'
  | 'silent-orphan-log'
  | 'two-servers by two paths'
  | 'two-servers by one path'
  | 'id-twice'
  | 'hang'
  | 'stalled-log'
  | 'verify-disagrees'
  | 'refused'
  | 'ended';

/** A promise that did not hold. */
export class Finding extends Error {
  constructor(
    readonly kind: Kind,
    text: string,
  ) {
    super(text);
  }
}

/** A data file, by its identity: paths lead to it and away from it. `undefined` records are sound, but not known. */
export interface DataFile {
  readonly tracked: TrackedFile;
  /** The records of the file without its log. */
  base: Records | undefined;
  /** The records of the file with its log. */
  full: Records | undefined;
  log: TrackedFile | undefined;
  /** The action after which damage is allowed. */
  ruinedBy: string | undefined;
  isRestored: boolean;
}

export interface RunningServer {
  readonly server: Server;
  readonly data: DataFile;
  /** Its open files when it was ready. It must end if they are moved away. */
  readonly opened: View;
}

interface Backup {
  readonly path: string;
  readonly records: Records | undefined;
}

/** One sequence: its folder, its servers, and the model. */
export interface World {
  readonly program: Program;
  /** The working folder of the commands. */
  readonly folder: string;
  readonly outer: string;
  readonly files: Map<string, DataFile>;
  readonly logs: Map<string, TrackedFile>;
  readonly backups: Backup[];
  readonly servers: RunningServer[];
  readonly readOnly: Set<string>;
  /** Real paths that had data. */
  readonly hadData: Set<string>;
  /** Values of writes that got no answer, or an error. */
  readonly unknown: Set<string>;
  readonly given: Set<string>;
  readonly env: Record<string, string>;
  readonly isSmall: boolean;
  /** Undefined if there is no clock that can be set. */
  readonly setClock: ((offsetSeconds: number) => void) | undefined;
  readonly steps: string[];
  readonly atExit: (() => void)[];
  names: number;
  isFull: boolean;
  /** Whether the system may refuse to rename to a path because a file is mounted there. */
  hasBoundFile: boolean;
}

export function createWorld(
  program: Program,
  { isSmall, setsClock }: { readonly isSmall: boolean; readonly setsClock: boolean },
): World {
  const outer = mkdtempSync(join(tmpdir(), 'animal-store-operator-'));
  const folder = join(outer, 'data');
  mkdirSync(folder);
  mkdirSync(join(outer, 'backups'));
  if (isSmall) run('mount', '-t', 'tmpfs', '-o', `size=${4 * 2 ** 20}`, 'tmpfs', folder);
  for (const name of ['d1', 'd2']) mkdirSync(join(folder, name));
  const hasClock = setsClock && missingForWallClock() === undefined;
  const clock = hasClock ? makeWallClock(outer) : undefined;
  return {
    program,
    folder,
    outer,
    files: new Map(),
    logs: new Map(),
    backups: [],
    servers: [],
    readOnly: new Set(),
    hadData: new Set(),
    unknown: new Set(),
    given: new Set(),
    env: clock?.env ?? {},
    isSmall,
    setClock: clock?.set,
    steps: isSmall ? ['(the disk has 4 MiB)'] : [],
    atExit: [],
    names: 0,
    isFull: false,
    hasBoundFile: false,
  };
}

export async function closeWorld(world: World): Promise<void> {
  for (const { server } of world.servers) server.signal('SIGKILL');
  await Promise.all(world.servers.map(({ server }) => server.ended()));
  for (const end of world.atExit) end();
  for (const { tracked } of world.files.values()) release(tracked);
  for (const log of world.logs.values()) release(log);
  unmountBelow(world.outer);
  rmSync(world.outer, { recursive: true, force: true });
}

export function unmountBelow(folder: string): void {
  for (const mount of listMounts().toReversed()) {
    if (mount.startsWith(`${folder}/`)) run('umount', '-l', mount);
  }
}

export function step(world: World, text: string): void {
  world.steps.push(text);
}

/** Adds the result of the last step to it. */
export function addResult(world: World, text: string): void {
  world.steps.push(`${world.steps.pop()}\n     → ${text.trim().replaceAll('\n', '\n       ')}`);
}

export function trackLog(world: World, path: string): TrackedFile | undefined {
  if (!existsSync(path)) return undefined;
  const found = track(path);
  const known = world.logs.get(found.key);
  if (known !== undefined) {
    release(found);
    return known;
  }
  world.logs.set(found.key, found);
  return found;
}

export function addFile(
  world: World,
  path: string,
  about: Pick<DataFile, 'base' | 'full'> & Partial<DataFile>,
): DataFile {
  const found = track(path);
  const known = world.files.get(found.key);
  if (known !== undefined) release(found);
  const data: DataFile = {
    tracked: known?.tracked ?? found,
    log: undefined,
    ruinedBy: undefined,
    isRestored: false,
    ...about,
  };
  if (known === undefined) world.files.set(found.key, data);
  else Object.assign(known, data);
  return known ?? data;
}

/** What a file has without its log, as far as that is determined. */
export function withoutLog({ base, full }: DataFile): Records | undefined {
  return base && full && between(base, full);
}

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
  return {
    path,
    view,
    data,
    orphan: data === undefined && view.logBytes > 0 ? log : undefined,
    wasHere:
      isEmpty &&
      world.hadData.has(view.real) &&
      (view.lock !== undefined || view.log !== undefined),
    served,
    isAside: served.length > 0 && view.log !== data?.log?.key,
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

/** What a program finds at the path of this file. */
export function recordsOf({ data, isAside }: Approach): Records | undefined {
  return data && isAside ? withoutLog(data) : data?.full;
}

/** Why a program may fail here, although the data is sound; undefined if it must not. */
export function excuse(world: World, { view, data }: Approach): string | undefined {
  const isHeld = world.servers.some(({ opened }) => opened.lock === view.lock);
  if (view.lock !== undefined && isHeld && data === undefined) return 'a server holds the lock';
  if (world.isFull) return 'the disk is full';
  if (world.readOnly.size > 0) return 'the disk is read-only';
  if (view.links > 1) return 'the file has several links';
  if (view.isMountPoint) return 'the file is a mount point';
  if (view.isLinkLoop) return 'the path is a loop of links';
  return data?.ruinedBy;
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
  if (!hadItsLog && data.log !== undefined) {
    data.full = withoutLog(data);
    data.base = data.full;
  } else if (view.logBytes === 0 || view.log !== data.log?.key) {
    data.base = data.full;
  }
  data.log = view.log === undefined ? undefined : trackLog(world, `${view.real}-wal`);
}

/** After a server ended without SIGKILL, the file has all records, also if it was renamed. */
export function settleEnded({ data }: RunningServer): void {
  data.base = data.full;
  if (data.log !== undefined && (isGone(data.log) || sizeOf(data.log) === 0)) data.log = undefined;
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
