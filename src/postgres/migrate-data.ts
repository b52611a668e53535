import type { Migration } from '../domain/older-schema.ts';
import { createConnections } from './connection.ts';
import { parseLocation } from './location.ts';
import { schemaVersion } from './migrate.ts';
import { prepareTables } from './prepare-tables.ts';

/**
 * Brings a database to this program's schema, while servers of the version before go on.
 * @throws DatabaseUnusable or DatabaseUnavailable with one line for the operator.
 */
export async function migrateData(url: string, allowDataLoss: boolean): Promise<Migration> {
  const location = parseLocation(url);
  await using connections = createConnections({ location, connectionsMax: 1, allowDataLoss });
  // Tables that are missing are made: by the role that owns them, for others that may not.
  return { from: await prepareTables(connections, { older: 'migrated' }), to: schemaVersion };
}
