import { DatabaseUnusable } from '../domain/database/database-error.ts';
import { faultsMax, type Verification } from '../domain/database/verification.ts';
import { verifyRecords } from '../storage/copies/verify.ts';
import { checkVersion } from '../storage/schema/migrate.ts';
import type { Connection } from './connection.ts';
import { sqliteCode, toOperatorError } from './errors.ts';
import { findFileToRead, noDataLine } from './file/file.ts';
import { openFileReader } from './file/file-reader.ts';
import { readFileVersion } from './migrate-file.ts';
import { createQueryable } from './queryable.ts';
import { findSchemaFaults } from './schema-faults.ts';

/**
 * Looks through a whole file while it may be in use. `notedDigest` is that of an entry that the audit trail had.
 * @throws DatabaseUnusable or DatabaseUnavailable with one line for the operator, where it cannot be opened.
 */
export async function verifyFile(path: string, notedDigest?: string): Promise<Verification> {
  const realPath = findFileToRead(path);
  try {
    // One moment for all that follows, whatever is written meanwhile.
    using reader = openFileReader(realPath);
    try {
      return await verifyConnection(reader.connection, path, notedDigest);
    } finally {
      // A file that changed can look damaged.
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

/** Whether it is the data that fails, and not the moment or the machine. Without our tables it is `SQLITE_ERROR`. */
function isDamage(code: string): boolean {
  return /^SQLITE_(?:CORRUPT|IOERR|ERROR)/.test(code);
}

/** Looks at every page and index. */
function findStructuralFaults(connection: Connection): readonly string[] {
  return connection
    .query<{ integrity_check: string }, []>(`PRAGMA integrity_check(${faultsMax})`)
    .all()
    .map((row) => row.integrity_check)
    .filter((line) => line !== 'ok');
}
