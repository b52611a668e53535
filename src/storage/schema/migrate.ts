import { DatabaseUnusable } from '../../domain/database/database-error.ts';
import { recordAudit } from '../access/audit.ts';
import { sha256 } from '../copies/sha256.ts';
import { readUnfinishedCopy, unfinishedCopyLine } from '../meta.ts';
import type { Queryable, Transaction } from '../queryable.ts';
import { type Dialects, statement } from '../statement.ts';
import { initial, migrations } from './migrations.ts';

export const schemaVersion = migrations.length;

/** That of this program. */
export const writerVersion = migrations.at(-1)?.writerVersion ?? 0;

/** From which schema version to which; from 0 where the data was new. */
export interface Migrated {
  readonly from: number;
  readonly to: number;
}

/** Brings data to this program's schema. `runScript` runs several statements in the same transaction. */
export async function applyMigrations(
  dialect: keyof Dialects,
  transaction: Transaction,
  from: number,
  runScript: (script: string) => Promise<unknown>,
  now: number,
): Promise<void> {
  for (const migration of migrations.slice(from)) await runScript(migration[dialect]);
  await transaction.run(updateVersions, [schemaVersion, writerVersion, schemaDigest(dialect)]);
  if (from === 0) return;
  const details = { from, to: schemaVersion };
  await recordAudit(transaction, { at: now, event: 'schema_migrated', details });
}

const updateVersions = statement(
  'UPDATE meta SET schema_version = $1, writer_version = $2, schema_digest = $3',
);

/**
 * Marks data by the text of its initial migration, in hexadecimal. Until the first release that migration changes, and data
 * that was created by an earlier text is rejected. Comments and white space do not count.
 */
export function schemaDigest(dialect: keyof Dialects): string {
  return sha256(withoutComments(initial[dialect])).slice(0, 16);
}

export function withoutComments(sql: string): string {
  // The newline at the end of a file does not count.
  return sql.replaceAll(/--.*$/gm, '').replaceAll(/\s+/g, ' ').trimEnd();
}

/** The scripts of all migrations, in order. */
export function schemaScripts(dialect: keyof Dialects): readonly string[] {
  return migrations.map((migration) => migration[dialect]);
}

const selectVersion = statement<{ version: number; digest: string }>(
  'SELECT schema_version AS version, schema_digest AS digest FROM meta',
  ['version'],
);

/**
 * The schema version of existing data. `name` stands for the data in messages.
 * @throws DatabaseUnusable if an unreleased program created it.
 */
export async function readSchemaVersion(
  name: string,
  dialect: keyof Dialects,
  queryable: Queryable,
): Promise<number> {
  const [row] = await queryable.all(selectVersion);
  if (row === undefined) return 0;
  if (row.digest !== schemaDigest(dialect)) throw new DatabaseUnusable(unreleasedLine(name));
  return row.version;
}

export interface PrepareOptions {
  /** What is to be said where there is no data; where there is nothing to say, it is made. */
  readonly refusalIfMissing?: string;
  /** What is to be done about data that an older program wrote: it is refused unless it is to be `migrated`. */
  readonly older?: 'refused' | 'migrated';
  /** Data that holds a part of a copy is only for the rest of it, and refused unless it is to be `taken`. */
  readonly unfinishedCopy?: 'refused' | 'taken';
  /** Runs before data is made or migrated, which it can prevent by an error. */
  readonly beforeChange?: (() => Promise<void>) | undefined;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** How an engine has its schema looked at and changed. */
export interface Schema {
  readonly queryable: Queryable;
  /** The schema version of data that is ours; 0 where there is none. It throws for any other. */
  readVersion(): Promise<number>;
  /** Brings the data to this program's schema, or makes it, all or nothing; gives the version that it found. */
  migrate(): Promise<number>;
}

/**
 * Brings data to this program's schema, or refuses it; gives the version that it had, 0 where it was new. `name` stands for
 * it in messages.
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
  // Most data is as it should be: then nothing is locked, and nobody waited for.
  const version = found === schemaVersion ? found : await migrate();
  if (unfinishedCopy !== 'taken' && (await readUnfinishedCopy(queryable)) !== undefined) {
    throw new DatabaseUnusable(unfinishedCopyLine(name));
  }
  return version;
}

/**
 * Refuses data that this program does not know, or may not change.
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

/** For data that was created before the first release. */
export function unreleasedLine(name: string): string {
  return `${name} was created by an unreleased version of animal-store: start with new data`;
}

export const newerWriterLine =
  'The data was migrated by a newer version of animal-store; this version can only read it: upgrade';
