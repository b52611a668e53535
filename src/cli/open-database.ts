import type { Database } from '../domain/database.ts';
import type { DatabaseLocation } from '../ops/config.ts';
import { openSqliteDatabase } from '../sqlite/database.ts';

/** The only place that knows which engines there are. */
export function openDatabase(location: DatabaseLocation, asServer: boolean): Promise<Database> {
  return openSqliteDatabase({ path: location.path, asServer, now: Date.now });
}
