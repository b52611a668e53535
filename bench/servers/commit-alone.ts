// Our server on the same database, with one transaction and one flush for each write: what group commit gains.

import { openSqliteDatabase } from '../../src/sqlite/database.ts';
import { serveDatabase } from './serve-database.ts';

const database = await openSqliteDatabase({
  path: (process.env.DATABASE_URL ?? '').replace(/^sqlite:/, ''),
  asServer: true,
  now: Date.now,
  limits: { groupCommandsMax: 1 },
});
await serveDatabase(database);
