import type { Dialects } from '../statement.ts';
import imports from './imports.sql' with { type: 'text' };
import initial from './initial.sql' with { type: 'text' };
import webhooks from './webhooks.sql' with { type: 'text' };

/** A step from one schema to the next. A released step never changes: test/golden.test.ts has data of each release. */
export interface Migration extends Dialects {
  /**
   * Rises with a step that changes what a write must maintain. From then on, an older server that is still running rejects
   * writes.
   */
  readonly writerVersion: number;
}

/** In order. `meta.schema_version` is the number of steps that were applied. */
export const migrations: readonly Migration[] = [
  { writerVersion: 1, ...toDialects(initial) },
  // Older servers know nothing of webhooks, and need to maintain nothing for them.
  { writerVersion: 1, ...toDialects(webhooks) },
  // Older servers know nothing of imports. The rows of a workspace that one of them deletes expire.
  { writerVersion: 1, ...toDialects(imports) },
];

/** The scripts of both engines. A script is in the dialect of SQLite, with the collations of PostgreSQL. */
function toDialects(script: string): Dialects {
  return {
    sqlite: linesFor('sqlite', script, 'postgres').replaceAll(' COLLATE "C"', ''),
    postgres: linesFor('postgres', script, 'sqlite')
      .replaceAll('INTEGER', 'bigint')
      .replaceAll('TEXT', 'text')
      .replaceAll(' REFERENCES workspaces (id)', '')
      .replaceAll(/ STRICT(?:, WITHOUT ROWID)?;/g, ';'),
  };
}

/** A line that ends with the name of an engine, in a comment, is for that engine alone. */
function linesFor(engine: keyof Dialects, script: string, other: keyof Dialects): string {
  return script
    .replaceAll(new RegExp(`^.* -- ${other}\n`, 'gm'), '')
    .replaceAll(` -- ${engine}\n`, '\n');
}
