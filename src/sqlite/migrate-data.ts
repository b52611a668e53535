import type { Migration } from '../domain/older-schema.ts';
import { findFile, migrateFile } from './file.ts';
import { lockFile } from './lock.ts';
import { schemaVersion } from './migrate.ts';

/**
 * Brings a file that no server uses to this program's schema.
 * @throws DatabaseUnusable or DatabaseUnavailable with one line for the operator.
 */
export function migrateData(path: string): Migration {
  const realPath = findFile(path);
  using _lock = lockFile(realPath, 'server');
  return { from: migrateFile(realPath, { older: 'migrated' }), to: schemaVersion };
}
