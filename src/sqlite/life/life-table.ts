import type { Connection } from '../connection.ts';
import type { CommitMark } from './life-record.ts';

/**
 * The table of the life of a file (docs/decisions/sqlite.md). It is no part of the numbered schema, so that version 1.1.0 opens the
 * file too. Servers and commands that create data add it.
 */
export const createLifeTable =
  'CREATE TABLE life (id INTEGER PRIMARY KEY CHECK (id = 1), life TEXT NOT NULL, commits INTEGER NOT NULL, is_running INTEGER NOT NULL) STRICT';

/** The life of a backup. A server that starts on a copy of a backup reports it. */
export const backupLife = 'backup';

export interface LifeRow {
  readonly life: string;
  /** The commits that counted themselves here, because they changed no version of a workspace. */
  readonly commits: number;
  /** Whether a server has the file open, or was killed. */
  readonly isRunning: boolean;
}

/** The row of a file; undefined if the file was made by an earlier version. */
export function readLifeRow(connection: Connection): LifeRow | undefined {
  if (!hasLifeTable(connection)) return undefined;
  const row = connection
    .query<{ life: string; commits: bigint; is_running: bigint }, []>(
      'SELECT life, commits, is_running FROM life',
    )
    .safeIntegers(true)
    .get();
  if (row === null) return undefined;
  return { life: row.life, commits: Number(row.commits), isRunning: row.is_running !== 0n };
}

/** Starts a life in the transaction of the caller. The number of commits never falls. */
export function writeLife(connection: Connection, { life, commits, isRunning }: LifeRow): void {
  if (!hasLifeTable(connection)) connection.run(createLifeTable);
  connection
    .query<unknown, [string, number, number]>(
      `INSERT INTO life (id, life, commits, is_running) VALUES (1, ?1, ?2, ?3)
      ON CONFLICT (id) DO UPDATE SET life = excluded.life, is_running = excluded.is_running,
        commits = max(commits, excluded.commits)`,
    )
    .run(life, commits, Number(isRunning));
}

/** Whether a file has a commit. A workspace that was deleted since had it. */
export function hasCommit(connection: Connection, mark: CommitMark): boolean {
  const row = readLifeRow(connection);
  if ((row?.commits ?? 0) < mark.commits) return false;
  if (mark.workspaceId === 0n) return true;
  const version = readVersion(connection, mark.workspaceId);
  return version === undefined || version >= mark.version;
}

/** A mark that the file has now. */
export function readMark(
  connection: Connection,
  { workspaceId }: Partial<CommitMark>,
): Partial<CommitMark> {
  const { commits = 0 } = readLifeRow(connection) ?? {};
  const version = workspaceId === undefined ? undefined : readVersion(connection, workspaceId);
  if (workspaceId === undefined || version === undefined) return { commits };
  return { commits, workspaceId, version };
}

function readVersion(connection: Connection, workspaceId: bigint): bigint | undefined {
  return connection
    .query<{ version: bigint }, [bigint]>(versionSql)
    .safeIntegers(true)
    .get(workspaceId)?.version;
}

/** What the statements of a transaction changed. */
export interface Changes {
  hasChanges: boolean;
  /** A workspace whose version was raised, and the version. */
  raised: { readonly workspaceId: bigint; readonly version: bigint } | undefined;
}

/** Counts a commit in its transaction, and returns the number. */
export function countCommit(connection: Connection): number {
  const row = connection
    .query<{ commits: bigint }, []>('UPDATE life SET commits = commits + 1 RETURNING commits')
    .safeIntegers(true)
    .get();
  return Number(row?.commits ?? 0n);
}

const versionSql = 'SELECT version FROM workspaces WHERE id = ?1';

function hasLifeTable(connection: Connection): boolean {
  const found = connection.query(
    "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'life'",
  );
  return found.get() !== null;
}
