import { addAuditEntry } from '../access/audit-trail.ts';
import { DatabaseUnusable } from '../contract/database-error.ts';
import { readUnfinishedCopy, unfinishedCopyLine } from '../meta-row.ts';
import type { Queryable, Transaction } from '../queryable.ts';
import { type Dialects, statement } from '../statement.ts';
import { migrations } from './migrations.ts';

export const schemaVersion = migrations.length;

/** The writer version of this program. */
export const writerVersion = migrations.at(-1)?.writerVersion ?? 0;

/** The schema versions before and after. New data has 0 before. */
export interface Migrated {
  readonly from: number;
  readonly to: number;
}

/** Migrates data to this program's schema. `runScript` runs several statements in the same transaction. */
export async function applyMigrations(
  dialect: keyof Dialects,
  transaction: Transaction,
  from: number,
  runScript: (script: string) => Promise<unknown>,
  now: number,
): Promise<void> {
  for (const migration of migrations.slice(from)) await runScript(migration[dialect]);
  await transaction.run(updateVersions, [schemaVersion, writerVersion, schemaDigests[dialect]]);
  if (from === 0) return;
  await addAuditEntry(transaction, now, 'schema_migrated', { from, to: schemaVersion });
}

const updateVersions = statement(
  'UPDATE meta SET schema_version = $1, writer_version = $2, schema_digest = $3',
);

/** Mark data of this program. Each was the SHA-256 of the initial migration. Versions 1.0.0 to 1.2.0 compare it. */
const schemaDigests = { sqlite: '90d180add82cea3a', postgres: 'b40192974f5f26b0' };

/** The scripts of all migrations, in order. */
export function schemaScripts(dialect: keyof Dialects): readonly string[] {
  return migrations.map((migration) => migration[dialect]);
}

const selectVersion = statement<{ version: number }>('SELECT schema_version AS version FROM meta', [
  'version',
]);

/** The schema version of data of this program; 0 if it is not complete yet. */
export async function readSchemaVersion(queryable: Queryable): Promise<number> {
  const [row] = await queryable.all(selectVersion);
  return row?.version ?? 0;
}

export interface PrepareOptions {
  /** The message if there is no data. Without a message, data is created. */
  readonly refusalIfMissing?: string;
  /** What to do with data of an older schema. The default is `refused`. */
  readonly older?: 'refused' | 'migrated';
  /** What to do with data of an unfinished copy. The default is `refused`. */
  readonly unfinishedCopy?: 'refused' | 'taken';
  /** On PostgreSQL, creates data although another schema has tables of this program. */
  readonly besideOther?: boolean;
  /** Runs before data is created or migrated. An error prevents it. */
  readonly beforeChange?: (() => Promise<void>) | undefined;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** How an engine reads and changes its schema. */
export interface Schema {
  readonly queryable: Queryable;
  /** Returns the schema version, or 0 if there is no data. Throws if another program created the data. */
  readVersion(): Promise<number>;
  /** Migrates or creates the data in one transaction. Returns the schema version before. */
  migrate(): Promise<number>;
}

/**
 * Migrates data to this program's schema, or rejects it. Returns the schema version before, or 0 for new data. `name` is the
 * name of the data in messages.
 * @throws DatabaseUnusable with one line for the operator.
 */
export async function prepareSchema(
  name: string,
  { queryable, readVersion, migrate }: Schema,
  { refusalIfMissing, older, unfinishedCopy, beforeChange }: PrepareOptions,
): Promise<number> {
  const found = await readVersion();
  if (found === 0 && refusalIfMissing !== undefined) throw new DatabaseUnusable(refusalIfMissing);
  checkVersion(name, found, older);
  if (found !== schemaVersion) await beforeChange?.();
  // Most data has the schema of this program. It is opened without a lock.
  const version = found === schemaVersion ? found : await migrate();
  if (unfinishedCopy !== 'taken' && (await readUnfinishedCopy(queryable)) !== undefined) {
    throw new DatabaseUnusable(unfinishedCopyLine(name));
  }
  return version;
}

/**
 * Rejects data of a newer schema, and of an older schema unless it may be migrated.
 * @throws DatabaseUnusable with one line for the operator.
 */
export function checkVersion(name: string, found: number, older?: PrepareOptions['older']): void {
  if (found > schemaVersion) {
    throw new DatabaseUnusable(
      `${name} has schema version ${found}, and this version of animal-store knows versions up to ${schemaVersion}: use a newer version`,
    );
  }
  if (found > 0 && found < schemaVersion && older !== 'migrated') {
    throw new DatabaseUnusable(
      `${name} has schema version ${found}, and this version of animal-store needs version ${schemaVersion}: run animal-store migrate (older versions cannot use the data afterwards)`,
    );
  }
}

export const newerWriterLine =
  'The data was migrated by a newer version of animal-store; this version can only read it: upgrade';
