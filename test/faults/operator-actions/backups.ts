import { readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ContentAction } from './actions.ts';
import { tryStat } from './disk.ts';
import type { Records } from './records.ts';
import { type Backup, step, type World } from './world.ts';

type OverwriteBackup = Extract<ContentAction, { do: 'overwrite backup' }>;

/** Adds the backup with the next number, which exists. */
export function addBackup(world: World, records: Records | undefined): void {
  const backup = { path: `../backups/${world.backups.length}.db`, records };
  world.backups.push(backup);
  const key = contentKey(world, backup);
  if (key !== undefined) world.backupContents.set(key, records);
}

/** The records of a backup; undefined if it or its manifest was overwritten. */
export function findSound(
  world: World,
  backup: Backup,
): { readonly records: Records | undefined } | undefined {
  const key = contentKey(world, backup);
  if (key === undefined || !world.backupContents.has(key)) return undefined;
  return { records: world.backupContents.get(key) };
}

function contentKey(world: World, { path }: Backup): string | undefined {
  const file = join(world.folder, path);
  if (!tryStat(file)?.isFile() || !tryStat(`${file}.json`)?.isFile()) return undefined;
  const digest = new Bun.CryptoHasher('sha256').update(readFileSync(file)).digest('hex');
  return `${digest} ${canonical(readFileSync(`${file}.json`, 'utf8'))}`;
}

/** Blanks at the end of a manifest change nothing. */
function canonical(manifest: string): string {
  try {
    return JSON.stringify(JSON.parse(manifest));
  } catch {
    return `not JSON: ${manifest}`;
  }
}

/** Changes a backup or its manifest in place. */
export function overwriteBackup(world: World, action: OverwriteBackup): void {
  const { backups, folder } = world;
  const backup = backups[action.backup % Math.max(1, backups.length)];
  if (backup === undefined) return;
  const end = action.isManifest ? '.json' : '';
  const name = backup.path + end;
  const target = join(folder, name);
  const size = tryStat(target)?.size;
  if (size === undefined) return;
  if (action.act === 'cut' || action.act === 'grow') {
    const bytes = action.act === 'cut' ? Math.floor((size * action.percent) / 100) : size + 10_000;
    step(world, `truncate -s ${bytes} ${name} (of ${size})`);
    truncateSync(target, bytes);
    return;
  }
  const others = [...backups.map(({ path }) => path + end), 'd1/a.db', 'd2/a.db'];
  const source = action.act.startsWith('cp o')
    ? others.find((other) => other !== name && tryStat(join(folder, other))?.isFile())
    : undefined;
  if (action.act.startsWith('cp o') && source === undefined) return;
  step(world, source === undefined ? `: > ${name}` : `cp ${source} ${name}`);
  writeFileSync(target, source === undefined ? '' : readFileSync(join(folder, source)));
}
