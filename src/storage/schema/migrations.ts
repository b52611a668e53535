import type { Dialects } from '../statement.ts';
import postgres from './initial-postgres.sql' with { type: 'text' };
import sqlite from './initial-sqlite.sql' with { type: 'text' };
import webhookTables from './webhooks.sql' with { type: 'text' };

/** A step from one schema to the next. A released step never changes: test/golden.test.ts has data of each release. */
export interface Migration extends Dialects {
  /**
   * Rises with a step that changes what a write must maintain. From then on, an older server that is still running rejects
   * writes.
   */
  readonly writerVersion: number;
}

const initial: Migration = { writerVersion: 1, sqlite, postgres };

/** Older servers know nothing of webhooks, and need to maintain nothing for them. */
const webhooks: Migration = {
  writerVersion: 1,
  sqlite: webhookTables,
  postgres: webhookTables
    .replaceAll('INTEGER', 'bigint')
    .replaceAll('TEXT', 'text')
    .replaceAll(' STRICT, WITHOUT ROWID', ''),
};

/** In order. `meta.schema_version` is the number of steps that were applied. */
export const migrations: readonly Migration[] = [initial, webhooks];
