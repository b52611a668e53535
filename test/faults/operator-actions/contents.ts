import { Database as Connection } from 'bun:sqlite';
import { copyFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { makeTemporaryFolder } from '../../support/temporary-folder.ts';
import type { ServedRows } from './records.ts';

/** The rows of a data file with its log, and without it. */
export interface Contents {
  /** Undefined if SQLite finds damage, or an empty file. */
  readonly full: ServedRows | undefined;
  readonly base: ServedRows | undefined;
}

/** Reads copies of a data file, as SQLite recovers them after all processes were killed. */
export function readContents(path: string): Contents {
  return { full: readCopy(path, `${path}-wal`), base: readCopy(path, undefined) };
}

function readCopy(path: string, logPath: string | undefined): ServedRows | undefined {
  using folder = makeTemporaryFolder();
  const copy = join(folder.path, 'a.db');
  try {
    copyFileSync(path, copy);
    if (logPath !== undefined && existsSync(logPath)) copyFileSync(logPath, `${copy}-wal`);
    using connection = new Connection(copy, { readwrite: true });
    return readRows(connection);
  } catch {
    return undefined;
  }
}

function readRows(connection: Connection): ServedRows | undefined {
  const [check] = connection.query<{ integrity_check: string }, []>('PRAGMA integrity_check').all();
  if (check?.integrity_check !== 'ok') return undefined;
  const rows = new Map<string, string>();
  const select = <Row>(sql: string) => connection.query<Row, []>(sql).all();
  for (const { id, name } of select<{ id: number; name: string }>(
    'SELECT id, name FROM pets WHERE workspace_id = 1',
  )) {
    rows.set(`pet ${id}`, name);
  }
  for (const { id, pet } of select<{ id: number; pet: number }>(
    'SELECT id, pet_id AS pet FROM orders WHERE workspace_id = 1',
  )) {
    rows.set(`order ${id}`, `of ${pet}`);
  }
  return rows;
}
