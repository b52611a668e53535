import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { release, type TrackedFile, track, type View } from './disk.ts';
import type { Server } from './program.ts';
import { between, type Records } from './records.ts';

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
  | 'verify-disagrees'
  | 'refused'
  | 'ended'
  | 'bad-refusal'
  | 'acknowledged-after-loss'
  | 'destroyed-by-stop';

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
  /** The action that changed bytes in place, so that a program may refuse the file. */
  touchedBy: string | undefined;
  /** Whether a server was killed on it, as far as the file shows that. */
  isMarked: boolean;
  isRestored: boolean;
}

export interface RunningServer {
  readonly server: Server;
  readonly data: DataFile;
  /** Its open files when it was ready. It must end if they are moved away. */
  readonly opened: View;
  /** What an action did to its open files in place. */
  overwritten: Overwritten | undefined;
}

/** Open files of a server that were changed in place. */
export interface Overwritten {
  readonly by: string;
  /** Whether records are lost by that. Then nothing more may be acknowledged. */
  readonly isLoss: boolean;
  readonly mustEnd: boolean;
  readonly isIndex: boolean;
  /** The records of the main file if only its log was changed. They must still be there when the server has ended. */
  readonly safe: Records | undefined;
  /** Rows that were acknowledged after the action. */
  readonly acknowledged: Set<string>;
}

export interface Backup {
  readonly path: string;
  readonly records: Records | undefined;
}

/** What a file `NAME.life` promises about the file NAME. */
export interface LifeNote {
  readonly data: DataFile;
  /** The records that the file must have, if they are not those of `data` at this moment. */
  readonly frozen: { readonly records: Records | undefined } | undefined;
}

interface SavedFile {
  readonly name: string;
  readonly data: DataFile;
  /** As it was when the snapshot was made. */
  readonly state: Omit<DataFile, 'tracked' | 'log'>;
  readonly hasLog: boolean;
}

/** A copy of all files of a folder at one moment. */
export interface FolderSnapshot {
  readonly folder: string;
  readonly files: readonly SavedFile[];
  readonly notes: readonly { readonly name: string; readonly note: LifeNote }[];
}

/** One sequence: its folder, its servers, and the model. */
export interface World {
  /** The working folder of the commands. */
  readonly folder: string;
  readonly outer: string;
  readonly files: Map<string, DataFile>;
  readonly logs: Map<string, TrackedFile>;
  readonly backups: Backup[];
  /** What is known of each file `NAME.life`, by the file that it belongs to. A file without a valid content has no note. */
  readonly lives: Map<string, LifeNote>;
  /** What is known of each copy of a `NAME.life`, by its path. */
  readonly lifeCopies: Map<string, LifeNote | undefined>;
  readonly snapshots: Map<string, FolderSnapshot>;
  readonly servers: RunningServer[];
  /** Real paths that had data. */
  readonly hadData: Set<string>;
  /** Values of writes that got no answer, or an error. */
  readonly unknown: Set<string>;
  readonly given: Set<string>;
  readonly steps: string[];
  names: number;
}

export function createWorld(): World {
  const outer = mkdtempSync(join(tmpdir(), 'animal-store-operator-'));
  const folder = join(outer, 'data');
  mkdirSync(folder);
  mkdirSync(join(outer, 'backups'));
  for (const name of ['d1', 'd2']) mkdirSync(join(folder, name));
  return {
    folder,
    outer,
    files: new Map(),
    logs: new Map(),
    backups: [],
    lives: new Map(),
    lifeCopies: new Map(),
    snapshots: new Map(),
    servers: [],
    hadData: new Set(),
    unknown: new Set(),
    given: new Set(),
    steps: [],
    names: 0,
  };
}

export async function closeWorld(world: World): Promise<void> {
  for (const { server } of world.servers) server.signal('SIGKILL');
  await Promise.all(world.servers.map(({ server }) => server.ended()));
  for (const { tracked } of world.files.values()) release(tracked);
  for (const log of world.logs.values()) release(log);
  rmSync(world.outer, { recursive: true, force: true });
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
    touchedBy: undefined,
    isMarked: false,
    isRestored: false,
    ...about,
  };
  if (known === undefined) world.files.set(found.key, data);
  else Object.assign(known, data);
  return known ?? data;
}

/** Adds the backup with the next number, which exists. */
export function addBackup({ backups }: World, records: Records | undefined): void {
  backups.push({ path: `../backups/${backups.length}.db`, records });
}

/** What a file has without its log, as far as that is determined. */
export function withoutLog({ base, full }: DataFile): Records | undefined {
  return base && full && between(base, full);
}
