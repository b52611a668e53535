import type { Database } from '../domain/database.ts';
import type { Config } from '../ops/config.ts';

/** What every command has to be told to open a database. */
export const databaseSettings = ['database', 'allowDataLoss'] as const;

/** What a server may be told besides. */
export const serverDatabaseSettings = [
  ...databaseSettings,
  'databaseConnections',
  'staleMilliseconds',
] as const;

type DatabaseConfig = Config<(typeof databaseSettings)[number]> &
  Partial<Config<(typeof serverDatabaseSettings)[number]>>;

/** The only place that knows which engines there are. Only the one that is used is loaded. */
export async function openDatabase(config: DatabaseConfig, asServer: boolean): Promise<Database> {
  const { database: location, allowDataLoss } = config;
  if (location.engine === 'sqlite') {
    const { openSqliteDatabase } = await import('../sqlite/database.ts');
    return openSqliteDatabase({ path: location.path, asServer, now: Date.now });
  }
  const { openPostgresDatabase } = await import('../postgres/database.ts');
  return openPostgresDatabase({
    url: location.url,
    asServer,
    now: Date.now,
    allowDataLoss,
    connectionsMax: config.databaseConnections,
    staleMillisecondsMax: config.staleMilliseconds,
  });
}
