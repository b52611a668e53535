import { auditSchemaVersion, emptyAuditHead } from '../domain/audit.ts';
import { faultsMax, type StoreSummary, type Verification } from '../domain/verification.ts';
import { findAuditFaults, readAuditHead } from './audit.ts';
import { type Connection, openReaderConnection, sqliteCode } from './connection.ts';
import { findFileToRead, noStore } from './file.ts';
import { readSchemaVersion, readVersion } from './migrate.ts';
import { unusable } from './unusable.ts';

/**
 * Looks through a whole file while it may be in use. `notedDigest` is that of an entry that the audit trail had.
 * @throws DatabaseUnusable or DatabaseUnavailable with one line for the operator, where it cannot be opened.
 */
export function verifyFile(path: string, notedDigest?: string): Verification {
  const realPath = findFileToRead(path);
  try {
    using connection = openReaderConnection(realPath);
    // One moment for all that follows, whatever is written meanwhile.
    connection.run('BEGIN');
    if (readVersion(connection, path) === 0) throw noStore(path);
    const faults = findFaults(connection, notedDigest);
    return faults.length > 0 ? { faults } : summarise(connection);
  } catch (error) {
    const code = sqliteCode(error);
    if (code === undefined || !isDamage(code)) throw unusable(`${path} cannot be verified`, error);
    return { faults: [`The file cannot be read to its end: ${code}`] };
  }
}

/** Whether it is the data that fails, and not the moment or the machine. Without our tables it is `SQLITE_ERROR`. */
function isDamage(code: string): boolean {
  return /^SQLITE_(?:CORRUPT|IOERR|ERROR)/.test(code);
}

function findFaults(connection: Connection, notedDigest: string | undefined): string[] {
  const structure = connection
    .query<{ integrity_check: string }, []>(`PRAGMA integrity_check(${faultsMax})`)
    .all()
    .map((row) => row.integrity_check)
    .filter((line) => line !== 'ok');
  if (structure.length > 0) return structure;
  const references = connection
    .query<{ table: string; parent: string }, []>('PRAGMA foreign_key_check')
    .all()
    .map(({ table, parent }) => `A row of ${table} belongs to one of ${parent} that is not there`);
  const counters = connection
    .query<{ name: string }, []>(`
      SELECT name FROM workspaces
      WHERE next_pet_id <= (SELECT max(id) FROM pets WHERE workspace_id = workspaces.id)`)
    .all()
    .map(({ name }) => `Workspace ${name} would give out an id again`);
  const audit = hasAuditTrail(connection) ? findAuditFaults(connection, notedDigest) : [];
  return [...new Set(references), ...counters, ...audit].slice(0, faultsMax);
}

/** A file that is not brought to this program's schema yet may be older than the trail. */
function hasAuditTrail(connection: Connection): boolean {
  return readSchemaVersion(connection) >= auditSchemaVersion;
}

function summarise(connection: Connection): StoreSummary {
  const workspaces = connection
    .query<{ name: string; animals: bigint; nextId: bigint }, []>(`
      SELECT name, next_pet_id AS nextId,
        (SELECT count(*) FROM pets WHERE workspace_id = workspaces.id) AS animals
      FROM workspaces ORDER BY name`)
    .all()
    .map(({ name, animals, nextId }) => ({
      name,
      animals: Number(animals),
      nextId: Number(nextId),
    }));
  const [keys] = connection
    .query<{ count: bigint }, []>('SELECT count(*) AS count FROM api_keys')
    .all();
  return {
    animals: workspaces.reduce((sum, { animals }) => sum + animals, 0),
    workspaces,
    apiKeys: Number(keys?.count ?? 0),
    audit: hasAuditTrail(connection) ? readAuditHead(connection) : emptyAuditHead,
  };
}
