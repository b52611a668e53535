import { DatabaseUnusable } from '../domain/database.ts';
import { type OlderSchema, olderSchemaLine } from '../domain/older-schema.ts';
import { prepareAudit } from './audit.ts';
import { type Connection, makeDurable } from './connection.ts';
import initial from './migrations/0001-initial.sql' with { type: 'text' };
import auditTrail from './migrations/0002-audit-trail.sql' with { type: 'text' };
import revokedForGood from './migrations/0003-revoked-for-good.sql' with { type: 'text' };

/** In order; the number of those applied is the file's `user_version`. Released ones never change. */
const migrations: readonly string[] = [initial, auditTrail, revokedForGood];

export const schemaVersion = migrations.length;

/** Marks a file as ours ("ANST"), so that another program's database is never migrated by mistake. */
const applicationId = 0x414e5354n;

/**
 * Brings a file to this program's schema in one transaction, or leaves it as it was. Safe when several
 * processes start at once: the version is read again under the lock. Returns the version that it had, 0 where it was new.
 */
export function migrate(connection: Connection, path: string, older: OlderSchema): number {
  const found = connection.transaction(() => readVersion(connection, path))();
  if (found > 0 && found < schemaVersion && older === 'refused') {
    throw new DatabaseUnusable(olderSchemaLine(path, found, schemaVersion));
  }
  makeDurable(connection);
  // Most files are as they should be: then nothing is written, and nobody waited for.
  if (found === schemaVersion) return found;
  connection.run('BEGIN IMMEDIATE');
  try {
    const version = readVersion(connection, path);
    for (const migration of migrations.slice(version)) connection.run(migration);
    if (version > 0) recordMigration(connection, version);
    connection.run(`PRAGMA application_id = ${applicationId}`);
    connection.run(`PRAGMA user_version = ${schemaVersion}`);
    connection.run('COMMIT');
    return version;
  } catch (error) {
    if (connection.inTransaction) connection.run('ROLLBACK');
    throw error;
  }
}

function recordMigration(connection: Connection, from: number): void {
  const counter = connection
    .query<{ seq: bigint }, []>(`SELECT seq FROM sqlite_sequence WHERE name = 'api_keys'`)
    .get();
  const nextApiKeyId = Number(counter?.seq ?? 0) + 1;
  prepareAudit(connection)({
    at: Date.now(),
    event: 'schema_migrated',
    details: { from, to: schemaVersion, nextApiKeyId },
  });
}

/**
 * The schema version of a file that is new or ours; any other is refused before anything is changed. To be
 * read in a transaction, since what is seen while another process migrates is neither.
 */
export function readVersion(connection: Connection, path: string): number {
  const version = readSchemaVersion(connection);
  const owner = readPragma(connection, 'application_id');
  const isEmpty = connection.query('SELECT 1 FROM sqlite_schema').get() === null;
  if (owner !== applicationId && (owner !== 0n || version !== 0 || !isEmpty)) {
    throw new DatabaseUnusable(`${path} is a SQLite database of another program`);
  }
  if (version > schemaVersion) {
    throw new DatabaseUnusable(
      `${path} has schema version ${version}, and this program knows versions up to ${schemaVersion}: use the newer program that wrote it`,
    );
  }
  return version;
}

export function readSchemaVersion(connection: Connection): number {
  return Number(readPragma(connection, 'user_version'));
}

function readPragma(connection: Connection, pragma: string): bigint {
  const row = connection.query<Record<string, bigint>, []>(`PRAGMA ${pragma}`).get();
  return row?.[pragma] ?? 0n;
}
