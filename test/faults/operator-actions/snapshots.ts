import {
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  statSync,
  unlinkSync,
} from 'node:fs';
import { join } from 'node:path';
import type { DataPath, Folder, Part } from './actions.ts';
import { keyOf, tryStat } from './disk.ts';
import { dataPathOf, frozenNote, lifeKey, noteAt } from './lives.ts';
import { addFile, type DataFile, step, trackLog, type World } from './world.ts';

/** Copies files to `NAME.old`. */
export function keepCopies(world: World, path: DataPath, parts: readonly Part[]): void {
  for (const part of parts) {
    const source = join(world.folder, path + part);
    if (tryStat(source)?.isFile() !== true) continue;
    step(world, `cp ${path}${part} ${path}${part}.old`);
    copyFileSync(source, `${source}.old`);
    if (part !== '.life') continue;
    const note = noteAt(world, dataPathOf(source));
    world.lifeCopies.set(`${path}.life.old`, note && frozenNote(note));
  }
}

function canReplace(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

const listNames = (path: string) =>
  readdirSync(path, { withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map(({ name }) => name);

/** Copies a folder, as a snapshot of its file system does. */
export function takeSnapshot(world: World, folder: Folder): void {
  const path = join(world.folder, folder);
  if (!canReplace(path)) return;
  step(world, `cp -a ${folder} (a snapshot)`);
  const saved = join(world.outer, `snapshot-${world.steps.length}`);
  mkdirSync(saved);
  const names = listNames(path).filter((name) => tryStat(join(path, name))?.isFile());
  for (const name of names) copyFileSync(join(path, name), join(saved, name));
  const files = names.flatMap((name) => {
    const data = world.files.get(keyOf(statSync(join(path, name))));
    if (data === undefined) return [];
    const { tracked: _, log, ...state } = data;
    const besides = tryStat(join(path, `${name}-wal`));
    return [{ name, data, state, hasLog: besides !== undefined && keyOf(besides) === log?.key }];
  });
  const notes = names.flatMap((name) => {
    const of = name.endsWith('.life') ? name.slice(0, -'.life'.length) : undefined;
    const note = of && noteAt(world, join(path, of));
    return of && note ? [{ name: of, note: frozenNote(note) }] : [];
  });
  world.snapshots.set(folder, { folder: saved, files, notes });
}

/** Replaces all files of a folder by those of its snapshot. No program can notice that. */
export function putBackSnapshot(world: World, folder: Folder): void {
  const path = join(world.folder, folder);
  const snapshot = world.snapshots.get(folder);
  if (snapshot === undefined || !canReplace(path)) return;
  step(world, `rm ${folder}/*; cp -a (the snapshot of ${folder}) ${folder}`);
  for (const name of listNames(path)) {
    world.lives.delete(lifeKey(join(path, name.replace(/\.life$/, ''))));
    unlinkSync(join(path, name));
  }
  for (const name of listNames(snapshot.folder)) {
    copyFileSync(join(snapshot.folder, name), join(path, name));
  }
  const added = new Map<DataFile, DataFile>();
  for (const { name, data, state, hasLog } of snapshot.files) {
    const back = addFile(world, join(path, name), state);
    if (hasLog && existsSync(join(path, `${name}-wal`))) {
      back.log = trackLog(world, join(path, `${name}-wal`));
    } else if (data.log !== undefined) back.ruinedBy ??= 'a snapshot without its log';
    added.set(data, back);
  }
  for (const { name, note } of snapshot.notes) {
    const back = added.get(note.data);
    const isPresent = back !== undefined && back.full === note.frozen?.records;
    const frozen = isPresent ? undefined : note.frozen;
    world.lives.set(lifeKey(join(path, name)), { data: back ?? note.data, frozen });
  }
}
