import { DatabaseUnusable } from '../domain/database/database-error.ts';
import { faultsMax, type Verification } from '../domain/database/verification.ts';
import { verifyRecords } from '../storage/copies/verify.ts';
import { checkVersion, schemaScripts, withoutComments } from '../storage/schema/migrate.ts';
import { Connection } from './connection.ts';
import { sqliteCode, toOperatorError } from './errors.ts';
import { findFileToRead, noDataLine } from './file/data-file.ts';
import { openFileReader } from './file/file-reader.ts';
import { readFileVersion } from './migrate-file.ts';
import { createQueryable } from './queryable.ts';

/**
 * Checks a whole file while other processes may use it. `notedDigest` is the digest of an earlier entry of the audit trail.
 * @throws DatabaseUnusable or DatabaseUnavailable with one line for the operator, if the file cannot be opened.
 */
export async function verifyFile(path: string, notedDigest?: string): Promise<Verification> {
  const realPath = findFileToRead(path);
  try {
    // One read transaction for all checks.
    using reader = openFileReader(realPath);
    try {
      return await verifyConnection(reader.connection, path, notedDigest);
    } finally {
      // A file that changed during the read can look damaged.
      reader.checkUnchanged();
    }
  } catch (error) {
    const code = sqliteCode(error);
    if (code === undefined || !isDamage(code))
      throw toOperatorError(`${path} cannot be verified`, error);
    return { faults: [`The file cannot be read completely: ${code}`] };
  }
}

async function verifyConnection(connection: Connection, path: string, notedDigest?: string) {
  const version = await readFileVersion(connection, path);
  if (version === 0) throw new DatabaseUnusable(noDataLine(path));
  checkVersion(path, version);
  const faults = [...findStructuralFaults(connection), ...findSchemaFaults(connection)];
  return faults.length > 0
    ? { faults }
    : await verifyRecords(createQueryable(connection), notedDigest);
}

/** Whether the data itself is damaged. Without our tables, the code is `SQLITE_ERROR`. */
function isDamage(code: string): boolean {
  return /^SQLITE_(?:CORRUPT|IOERR|ERROR)/.test(code);
}

/** Checks every page and index. */
function findStructuralFaults(connection: Connection): readonly string[] {
  return connection
    .query<{ integrity_check: string }, []>(`PRAGMA integrity_check(${faultsMax})`)
    .all()
    .map((row) => row.integrity_check)
    .filter((line) => line !== 'ok');
}

/** Returns a line for each table, index and trigger that differs from the migrations. Additional ones are allowed. */
function findSchemaFaults(connection: Connection): readonly string[] {
  using created = new Connection(':memory:');
  for (const script of schemaScripts('sqlite')) created.run(script);
  const found = readSchema(connection);
  return [...readSchema(created)]
    .filter(([name, definition]) => found.get(name) !== definition)
    .map(([name]) => `The definition of ${name} is missing or was changed`);
}

/** The definition of each object by its type and name. An index has no text if it belongs to a constraint. */
function readSchema(connection: Connection): ReadonlyMap<string, string> {
  const rows = connection
    .query<{ name: string; definition: string }, []>(
      `SELECT type || ' ' || name AS name, tbl_name || ' ' || coalesce(sql, '') AS definition
      FROM sqlite_schema WHERE type IN ('table', 'index', 'trigger')`,
    )
    .all();
  return new Map(rows.map(({ name, definition }) => [name, withoutComments(definition)]));
}
