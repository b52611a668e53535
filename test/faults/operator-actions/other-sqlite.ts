import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { DataPath, SqliteUse } from './actions.ts';
import { adoptContents, approach, movedLog, obstacle, settle } from './approach.ts';
import { look } from './disk.ts';
import { runCommand } from './program.ts';
import { addFile, addResult, Finding, step, type World } from './world.ts';

const program = [process.execPath, join(import.meta.dir, 'use-sqlite.ts')];

const texts: Record<SqliteUse, (path: string, target: string) => string> = {
  tables: (path) => `sqlite3 ${path} .tables`,
  backup: (path, target) => `sqlite3 ${path} '.backup ${target}'`,
  'PRAGMA wal_checkpoint(TRUNCATE)': (path) => `sqlite3 ${path} 'PRAGMA wal_checkpoint(TRUNCATE)'`,
  VACUUM: (path) => `sqlite3 ${path} VACUUM`,
  'PRAGMA journal_mode=DELETE': (path) => `sqlite3 ${path} 'PRAGMA journal_mode=DELETE'`,
};

/** Uses a data file with another program, beside a server or alone. It changes no record. */
export async function useSqlite(
  world: World,
  use: SqliteUse,
  path: DataPath,
  target: DataPath,
): Promise<void> {
  const before = approach(world, path);
  const { data, isAside } = before;
  if (data === undefined || data.ruinedBy !== undefined || isAside) return;
  // Another log beside it would be applied, or its own would be lost.
  if (obstacle(world, before) !== undefined || before.suspicion === movedLog) return;
  const targetPath = join(world.folder, target);
  if (use === 'backup' && (existsSync(targetPath) || !existsSync(dirname(targetPath)))) return;
  step(world, texts[use](path, target));
  const args = [path, use, target];
  const { exitCode, stderr } = await runCommand(args, world.folder, program);
  if (exitCode === undefined) throw new Finding('hang', 'another program with SQLite does not end');
  addResult(world, `${exitCode}: ${stderr.trim().split('\n').at(-1)}`);
  settle(world, before);
  if (data.touchedBy !== undefined) adoptContents(world, data, before.view.real, data.touchedBy);
  if (use !== 'backup' || exitCode !== 0) return;
  const { real } = look(targetPath);
  const { full, isMarked, touchedBy } = data;
  // A process that has the file open does not see what SQLite would recover.
  addFile(world, real, { base: full, full, isMarked, ruinedBy: touchedBy });
  world.hadData.add(real);
}
