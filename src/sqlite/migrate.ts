import { DatabaseUnusable } from '../domain/database.ts';
import type { Connection } from './connection.ts';
import initial from './migrations/0001-initial.sql' with { type: 'text' };

/** In order; the number of those applied is the file's `user_version`. Released ones never change. */
const migrations: readonly string[] = [initial];

export const schemaVersion = migrations.length;

/** Marks a file as ours ("ANST"), so that another program's database is never migrated by mistake. */
const applicationId = 0x414e5354n;

/**
 * Brings a file to this program's schema in one transaction, or leaves it as it was. Safe when several
 * processes start at once: the lock is taken before the version is read.
 */
export function migrate(connection: Connection, path: string): void {
  connection.run('BEGIN IMMEDIATE');
  try {
    const version = Number(readPragma(connection, 'user_version'));
    const owner = readPragma(connection, 'application_id');
    const tableCount = connection
      .query<{ count: bigint }, []>('SELECT count(*) AS count FROM sqlite_schema')
      .get()?.count;
    if (owner !== applicationId && (owner !== 0n || version !== 0 || tableCount !== 0n)) {
      throw new DatabaseUnusable(`${path} is a SQLite database of another program`);
    }
    if (version > schemaVersion) {
      throw new DatabaseUnusable(
        `${path} has schema version ${version}, and this program knows versions up to ${schemaVersion}: use the newer program that wrote it`,
      );
    }
    for (const migration of migrations.slice(version)) connection.run(migration);
    connection.run(`PRAGMA application_id = ${applicationId}`);
    connection.run(`PRAGMA user_version = ${schemaVersion}`);
    connection.run('COMMIT');
  } catch (error) {
    if (connection.inTransaction) connection.run('ROLLBACK');
    throw error;
  }
}

function readPragma(connection: Connection, pragma: string): bigint {
  const row = connection.query<Record<string, bigint>, []>(`PRAGMA ${pragma}`).get();
  return row?.[pragma] ?? 0n;
}
