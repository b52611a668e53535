import { existsSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Act, type DataPath, dataPaths, type Part } from './actions.ts';
import { adoptContents } from './approach.ts';
import { readContents } from './contents.ts';
import { keyOf, look, tryStat } from './disk.ts';
import { dataPathOf, freeze, frozenNote, lifeKey, noteAt } from './lives.ts';
import { isSameRows, recordsOfRows } from './records.ts';
import {
  addResult,
  type DataFile,
  type Overwritten,
  type RunningServer,
  step,
  type World,
} from './world.ts';

const grownBytes = 10_000;

/** A shorter index has no header. */
const indexHeaderBytes = 136;

export interface Overwrite {
  readonly act: Act;
  /** Where a cut ends, in percent of the size. */
  readonly percent: number;
}

/** Changes a file in place, as `: >`, `truncate`, `cp` and logrotate do. Returns the servers that have it open. */
export function overwritePart(
  world: World,
  path: DataPath,
  part: Part,
  { act, percent }: Overwrite,
): readonly RunningServer[] {
  const name = path + part;
  const target = join(world.folder, name);
  if (tryStat(target)?.isFile() !== true) return [];
  const source =
    act === 'cp old'
      ? `${name}.old`
      : act === 'cp other'
        ? findOther(world, path, part)
        : undefined;
  if (act.startsWith('cp o') && (!source || !existsSync(join(world.folder, source)))) return [];
  const change = () => changeBytes(world, name, { act, percent }, source);
  if (part === '.life') return overwriteLife(world, path, { change, source, act });
  if (part === '' || part === '-wal') return overwriteData(world, path, part, change);
  const servers = serversWith(world, target);
  if (change() && part === '-shm') {
    const by = world.steps.at(-1) ?? '';
    const mustEnd = statSync(target).size < indexHeaderBytes;
    const change = { by, isLoss: false, mustEnd, isIndex: true, safe: undefined };
    for (const running of servers) noteChange(running, change);
  }
  return servers;
}

/** Adds a change to those that were made before under the same server. */
function noteChange(running: RunningServer, change: Omit<Overwritten, 'acknowledged'>): void {
  const { overwritten } = running;
  // What was acknowledged after a change without a loss may be lost by the first one with a loss.
  const isFirstLoss = change.isLoss && overwritten?.isLoss !== true;
  running.overwritten = {
    by: change.by,
    isLoss: change.isLoss || overwritten?.isLoss === true,
    mustEnd: change.mustEnd || overwritten?.mustEnd === true,
    isIndex: change.isIndex || overwritten?.isIndex === true,
    safe: overwritten === undefined ? change.safe : overwritten.safe,
    acknowledged: (isFirstLoss ? undefined : overwritten?.acknowledged) ?? new Set(),
  };
}

/** Returns whether the bytes are others now. */
function changeBytes(
  world: World,
  name: string,
  { act, percent }: Overwrite,
  source: string | undefined,
): boolean {
  const target = join(world.folder, name);
  const before = readFileSync(target);
  const { size } = statSync(target);
  switch (act) {
    case 'empty':
      step(world, `: > ${name}`);
      truncateSync(target, 0);
      break;
    case 'cut': {
      const bytes = Math.floor((size * percent) / 100);
      step(world, `truncate -s ${bytes} ${name} (of ${size})`);
      truncateSync(target, bytes);
      break;
    }
    case 'grow':
      step(world, `truncate -s ${size + grownBytes} ${name} (of ${size})`);
      truncateSync(target, size + grownBytes);
      break;
    default:
      step(world, `cp ${source} ${name}`);
      // It writes into the file, as `cp` does.
      writeFileSync(target, readFileSync(join(world.folder, source ?? '')));
  }
  const isSame = before.equals(readFileSync(target));
  if (isSame) addResult(world, 'the same bytes');
  return !isSame;
}

/** The same part of another data file, or a backup. */
function findOther(world: World, path: DataPath, part: Part): string | undefined {
  const at = (other: string) => tryStat(join(world.folder, other));
  const key = (other: string) => {
    const found = at(other);
    return found?.isFile() ? keyOf(found) : undefined;
  };
  const other = dataPaths.find((each) => {
    const found = key(each + part);
    return found !== undefined && found !== key(path + part);
  });
  if (other !== undefined) return other + part;
  return part === '' ? world.backups[0]?.path : undefined;
}

function serversWith(world: World, target: string): RunningServer[] {
  const key = keyOf(statSync(target));
  return world.servers.filter(({ opened: { file, log, index, lock } }) =>
    [file, log, index, lock].includes(key),
  );
}

/** Overwrites a data file or its log. The model then has what SQLite would recover. */
export function overwriteData(
  world: World,
  path: string,
  part: '' | '-wal',
  change: () => boolean,
): readonly RunningServer[] {
  const target = join(world.folder, path + part);
  const servers = serversWith(world, target);
  const data = dataOf(world, target, part);
  const { real } = look(join(world.folder, path));
  const before = readContents(real);
  if (data !== undefined) freeze(world, data);
  const needsLog = servers.some(({ opened }) => isLogNeeded(opened.real));
  if (!change()) {
    // SQLite can see the file between `truncate` and `write`.
    if (data !== undefined) data.touchedBy ??= 'a file that was overwritten by the same bytes';
    return servers;
  }
  const by = world.steps.at(-1) ?? '';
  const after = readContents(real);
  const isChanged = !isSameRows(before.full, after.full);
  const isLoss = isChanged && (part === '' || needsLog);
  const safe = part === '-wal' && before.base ? recordsOfRows(before.base) : undefined;
  for (const running of servers) {
    noteChange(running, { by, isLoss, mustEnd: isLoss, isIndex: false, safe });
    // What was safe in the file before an action of the operator on the file itself.
    if (part === '' && running.overwritten) running.overwritten = { ...running.overwritten, safe };
  }
  if (data === undefined) return servers;
  const isBaseChanged = !isSameRows(before.base, after.base);
  if (isChanged || isBaseChanged) adoptContents(world, data, real, by);
  else data.touchedBy = by;
  return servers;
}

function dataOf(world: World, target: string, part: '' | '-wal'): DataFile | undefined {
  const key = keyOf(statSync(target));
  if (part === '') return world.files.get(key);
  return [...world.files.values()].find(({ log }) => log?.key === key);
}

/** Whether the log has frames that no checkpoint has copied (https://sqlite.org/walformat.html, section 2.1). */
function isLogNeeded(real: string): boolean {
  if (!existsSync(`${real}-shm`)) return true;
  const index = readFileSync(`${real}-shm`);
  return index.length < 100 || index.readUInt32LE(16) > index.readUInt32LE(96);
}

function overwriteLife(
  world: World,
  path: DataPath,
  {
    change,
    source,
    act,
  }: { readonly change: () => boolean; readonly source: string | undefined; readonly act: Act },
): readonly RunningServer[] {
  const real = dataPathOf(join(world.folder, `${path}.life`));
  const servers = world.servers.filter(({ opened }) => opened.real === real);
  const found =
    act === 'cp old'
      ? world.lifeCopies.get(`${path}.life.old`)
      : source && noteAt(world, dataPathOf(join(world.folder, source)));
  if (!change()) return servers;
  const key = lifeKey(real);
  if (!found) world.lives.delete(key);
  // A server writes its own record again at its next commit.
  else if (servers.length > 0) {
    world.lives.set(key, { data: found.data, frozen: { records: undefined } });
  } else world.lives.set(key, frozenNote(found));
  return servers;
}
