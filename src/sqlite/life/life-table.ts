import type { Connection } from '../connection.ts';
import { translateError } from '../errors.ts';
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
  const found = connection
    .query<{ version: bigint }, [bigint]>('SELECT version FROM workspaces WHERE id = ?1')
    .safeIntegers(true)
    .get(mark.workspaceId);
  return found === null || found.version >= mark.version;
}

/** Statements that count a commit in its transaction. */
export function createCommitCounter(connection: Connection) {
  const selectVersion = connection
    .query<{ version: bigint }, [bigint]>('SELECT version FROM workspaces WHERE id = ?1')
    .safeIntegers(true);
  const selectChanges = connection
    .query<{ count: bigint }, []>('SELECT total_changes() AS count')
    .safeIntegers(true);
  // The table can be created later.
  const count = () =>
    connection
      .query<{ commits: bigint }, []>('UPDATE life SET commits = commits + 1 RETURNING commits')
      .safeIntegers(true)
      .get();
  let changesBefore = 0n;
  let versionBefore: bigint | undefined;

  const versionOf = (id: bigint | undefined) =>
    id === undefined ? undefined : selectVersion.get(id)?.version;
  const countChanges = () => selectChanges.get()?.count ?? 0n;

  return {
    /** Called after BEGIN. `workspaceId` is one that the transaction probably changes. */
    begun(workspaceId: bigint | undefined): void {
      changesBefore = countChanges();
      versionBefore = versionOf(workspaceId);
    },
    /**
     * Called before COMMIT. Returns what shows later that the file has this commit; undefined if the transaction changed
     * nothing. A raised version of a workspace shows it without a change of another page.
     */
    counted(workspaceId: bigint | undefined): Partial<CommitMark> | undefined {
      if (countChanges() === changesBefore) return undefined;
      const version = versionOf(workspaceId);
      const isRaised =
        workspaceId !== undefined &&
        version !== undefined &&
        versionBefore !== undefined &&
        version > versionBefore;
      if (isRaised) return { workspaceId, version };
      try {
        return { commits: Number(count()?.commits ?? 0n) };
      } catch (error) {
        throw translateError(error);
      }
    },
  };
}

export function hasLifeTable(connection: Connection): boolean {
  const found = connection.query(
    "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'life'",
  );
  return found.get() !== null;
}
