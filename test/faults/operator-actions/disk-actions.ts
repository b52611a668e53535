import { copyFileSync, linkSync, renameSync, symlinkSync, unlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { DataPath, DiskAction, Part } from './actions.ts';
import { adoptContents, loseLog } from './approach.ts';
import { isThere, keyOf, look, tryStat } from './disk.ts';
import { dataPathOf, moveNote } from './lives.ts';
import { overwriteData } from './overwrite.ts';
import { addFile, addResult, step, trackLog, type World, withoutLog } from './world.ts';

/** Does an action with other programs. If the system refuses it, the step has its error and nothing changes. */
export function changeDisk(world: World, action: DiskAction): void {
  tryOnDisk(world, () => changeDiskOrThrow(world, action), undefined);
}

export function tryOnDisk<Result>(world: World, change: () => Result, otherwise: Result): Result {
  try {
    return change();
  } catch (error) {
    if (!(error instanceof Error) || !/^E[A-Z]+:/.test(error.message)) throw error;
    addResult(world, error.message.split('\n')[0] ?? '');
    return otherwise;
  }
}

function changeDiskOrThrow(world: World, action: DiskAction): void {
  switch (action.do) {
    case 'mv':
      move(world, action.from, action.to, action.parts);
      break;
    case 'rm':
      move(world, action.path, undefined, action.parts);
      break;
    case 'cp':
      copyFile(world, action.from, action.to, action.withLog);
      break;
    case 'ln':
    case 'ln -s':
    case 'mv folder':
    case 'ln -s folder':
      link(world, action.do, action.from, action.to);
      break;
  }
}

const linking = {
  ln: linkSync,
  'ln -s': symlinkSync,
  'mv folder': renameSync,
  'ln -s folder': symlinkSync,
} as const;

/** Gives an existing file or folder a free name. */
function link(world: World, name: keyof typeof linking, from: string, to: string): void {
  const [source, target] = [join(world.folder, from), join(world.folder, to)];
  if (!isThere(source) || isThere(target) || !isThere(dirname(target))) return;
  step(world, `${name.replace(' folder', '')} ${from} ${to}`);
  linking[name](source, target);
}

function move(world: World, from: DataPath, to: DataPath | undefined, parts: readonly Part[]) {
  for (const part of parts) {
    const source = join(world.folder, from + part);
    if (!isThere(source)) continue;
    step(world, to === undefined ? `rm ${from}${part}` : `mv ${from}${part} ${to}${part}`);
    const target = to && join(world.folder, to + part);
    const real = dataPathOf(source);
    if (target === undefined) unlinkSync(source);
    else renameSync(source, target);
    if (part === '.life') moveNote(world, real, target && dataPathOf(target));
  }
}

function copyFile(world: World, from: DataPath, to: DataPath, withLog: boolean): void {
  const [source, target] = [join(world.folder, from), join(world.folder, to)];
  const view = look(source);
  const data = view.file === undefined ? undefined : world.files.get(view.file);
  const replaced = tryStat(target);
  if (data === undefined || (replaced && keyOf(replaced) === data.tracked.key)) return;
  const copyPart = (part: '' | '-wal') => () => {
    step(world, `cp ${from}${part} ${to}${part}`);
    copyFileSync(view.real + part, (part === '' ? target : look(target).real) + part);
    return true;
  };
  const hasLog = withLog && view.logBytes > 0 && view.log === data.log?.key;
  if (replaced !== undefined && world.files.has(keyOf(replaced))) {
    overwriteData(world, to, '', copyPart(''));
    if (hasLog) copyLogOver(world, to, copyPart('-wal'));
    return;
  }
  copyPart('')();
  const records = withoutLog(data);
  const { ruinedBy, touchedBy, isMarked } = data;
  const copied = addFile(world, target, {
    ...{ base: records, full: records, ruinedBy, touchedBy, isMarked },
    isRestored: false,
    log: undefined,
  });
  if (!hasLog) return;
  const overwritten = trackLog(world, `${look(target).real}-wal`);
  for (const other of world.files.values()) if (other.log === overwritten) loseLog(world, other);
  copyPart('-wal')();
  copied.full = data.full;
  copied.log = trackLog(world, `${look(target).real}-wal`);
}

function copyLogOver(world: World, to: DataPath, copy: () => boolean): void {
  const { real, log } = look(join(world.folder, to));
  if (log !== undefined) overwriteData(world, to, '-wal', copy);
  else {
    copy();
    const data = world.files.get(look(real).file ?? '');
    if (data) adoptContents(world, data, real, world.steps.at(-1) ?? '');
  }
}
