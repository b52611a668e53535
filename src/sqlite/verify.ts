import { DatabaseUnusable } from '../domain/database-error.ts';
import { faultsMax, type Verification } from '../domain/verification.ts';
import { checkVersion } from '../storage/migrate.ts';
import { verifyRecords } from '../storage/verify.ts';
import { type Connection, openReaderConnection } from './connection.ts';
import { sqliteCode, unusable } from './errors.ts';
import { findFileToRead, noDataLine } from './file.ts';
import { readFileVersion } from './migrate-file.ts';
import { createSession } from './session.ts';

/**
 * Looks through a whole file while it may be in use. `notedDigest` is that of an entry that the audit trail had.
 * @throws DatabaseUnusable or DatabaseUnavailable with one line for the operator, where it cannot be opened.
 */
export async function verifyFile(path: string, notedDigest?: string): Promise<Verification> {
  const realPath = findFileToRead(path);
  try {
    using connection = openReaderConnection(realPath);
    // One moment for all that follows, whatever is written meanwhile.
    connection.run('BEGIN');
    const version = await readFileVersion(connection, path);
    if (version === 0) throw new DatabaseUnusable(noDataLine(path));
    checkVersion(path, version);
    const faults = findStructuralFaults(connection);
    return faults.length > 0
      ? { faults }
      : await verifyRecords(createSession(connection), notedDigest);
  } catch (error) {
    const code = sqliteCode(error);
    if (code === undefined || !isDamage(code)) throw unusable(`${path} cannot be verified`, error);
    return { faults: [`The file cannot be read completely: ${code}`] };
  }
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
