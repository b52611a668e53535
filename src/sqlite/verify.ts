import { DatabaseUnusable } from '../storage/contract/database-error.ts';
import { faultsMax, type Verification } from '../storage/contract/verification.ts';
import { verifyRecords } from '../storage/copies/verify-records.ts';
import { checkVersion, schemaVersion } from '../storage/schema/prepare-schema.ts';
import type { Connection } from './connection.ts';
import { sqliteCode, toOperatorError } from './errors.ts';
import { findFileToRead, noDataLine } from './file/data-file.ts';
import { openFileReader } from './file/file-reader.ts';
import { readFileVersion } from './migrate-file.ts';
import { addMissingSchema } from './older-schema.ts';
import { createQueryable } from './queryable.ts';
import { compareSchema } from './schema-faults.ts';

/** The result for a file, and lines about what is not checked. */
export interface FileVerification {
  readonly found: Verification;
  readonly notes: readonly string[];
}

export interface VerifyOptions {
  /** The digest of an earlier entry of the audit trail. */
  readonly notedDigest?: string | undefined;
  /** A `kept` file, such as a backup, has no server. */
  readonly use?: 'kept' | 'served';
}

/**
 * Checks a whole file while other processes may use it.
 * @throws DatabaseUnusable or DatabaseUnavailable with one line for the operator, if the file cannot be opened.
 */
export async function verifyFile(
  path: string,
  { notedDigest, use }: VerifyOptions = {},
): Promise<FileVerification> {
  const realPath = findFileToRead(path);
  try {
    // One read transaction for all checks.
    using reader = openFileReader(realPath, use);
    try {
      return await verifyConnection(reader.connection, path, notedDigest);
    } finally {
      // A file that changed during the read can look damaged.
      reader.checkUnchanged();
    }
  } catch (error) {
    const code = sqliteCode(error);
    if (code === undefined || !isUnreadable(code))
      throw toOperatorError(`${path} cannot be verified`, error);
    return { found: { faults: [`The file cannot be read completely: ${code}`] }, notes: [] };
  }
}

async function verifyConnection(
  connection: Connection,
  path: string,
  notedDigest?: string,
): Promise<FileVerification> {
  const version = await readFileVersion(connection, path);
  if (version === 0) throw new DatabaseUnusable(noDataLine(path));
  checkVersion(path, version, 'migrated');
  const schema = compareSchema(connection, version);
  const faults = [...findStructuralFaults(connection), ...schema.faults];
  if (faults.length > 0) return { found: { faults: faults.slice(0, faultsMax) }, notes: [] };
  if (version < schemaVersion) addMissingSchema(connection);
  const found = await verifyRecords(createQueryable(connection), notedDigest);
  return { found, notes: [...schema.notes, ...describeVersion(version)] };
}

function describeVersion(version: number): readonly string[] {
  if (version === schemaVersion) return [];
  const change = `serve, migrate and restore change it to version ${schemaVersion}`;
  return [`The data has schema version ${version}. ${change}.`];
}

/** Whether a verification ends with this fault, not with an error. Without our tables, the code is `SQLITE_ERROR`. */
function isUnreadable(code: string): boolean {
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
