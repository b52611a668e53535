import { resolve } from 'node:path';
import { rest } from '../context/deadline.ts';
import { defaultWorkspaceName } from '../domain/access/workspace.ts';
import type { Config } from '../ops/config.ts';
import type { DatabaseLocation } from '../ops/setting-values.ts';
import type { ReplaceOptions } from '../sqlite/backup/replace-data.ts';
import type { Database } from '../storage/contract/database.ts';
import type { Durability } from '../storage/contract/durability.ts';
import type { Reads } from '../storage/contract/reads-and-commands.ts';
import type { OpenOptions } from '../storage/open-options.ts';
import { CliFailure } from '../terminal/cli-failure.ts';
import { checkCurrentFolder } from '../terminal/current-folder.ts';
import { printNote } from '../terminal/print.ts';

// The only file that knows the engines. It loads only the one that is used.

/** The settings of every command that opens a database. */
export const databaseSettings = ['database', 'durability', 'allowDataLoss'] as const;

/** The settings of a command that can create data. */
export const creatingSettings = [...databaseSettings, 'createData'] as const;

/** The settings of a server. */
export const serverDatabaseSettings = [
  ...creatingSettings,
  'databaseConnections',
  'listenUrl',
  'idlePolling',
  'readStandby',
  'staleMilliseconds',
] as const;

type DatabaseConfig = Config<(typeof databaseSettings)[number]>;
type CreatingConfig = Config<(typeof creatingSettings)[number]>;
type ServerDatabaseConfig = Config<(typeof serverDatabaseSettings)[number]>;

/**
 * Opens the data to write to, and creates it if it is missing. It prints that, because the path may be mistyped. Like all other
 * functions here, it rejects data of an older version: only `serve` and `migrate` change the schema.
 */
export function openDatabase(config: CreatingConfig): Promise<Database> {
  return open(config, {
    asServer: false,
    mustExist: false,
    report,
    onMade(wasEmptyFile) {
      const path = databasePath(config);
      const made = path === undefined ? 'Created the tables' : `Created a new database in ${path}`;
      const note = wasEmptyFile ? ', which was an empty file' : '';
      printNote(`${made}${note}`);
    },
  });
}

/** Opens the data for a server, which migrates it and reports new data itself. */
export function openServerDatabase(
  config: ServerDatabaseConfig,
  on: Required<Pick<OpenOptions, 'beforeChange' | 'onMade' | 'onMigrated' | 'report'>>,
): Promise<Database> {
  return open(config, { asServer: true, mustExist: false, ...on });
}

/** Opens the data for a command that has no use for new data. */
export function openExistingDatabase(config: DatabaseConfig): Promise<Database> {
  return open(config, { asServer: false, mustExist: true, report });
}

/** Opens the data to add to a workspace. New data has only workspace `default`, so it is created for no other. */
export function openDatabaseWith(workspaceName: string, config: CreatingConfig): Promise<Database> {
  return workspaceName === defaultWorkspaceName
    ? openDatabase(config)
    : openExistingDatabase(config);
}

type DurabilityConfig = Config<'durability' | 'allowDataLoss'>;

export function durabilityOf({ durability, allowDataLoss }: DurabilityConfig): Durability {
  return allowDataLoss ? 'unchecked' : durability;
}

/** A server can start during a long command. */
const lookMilliseconds = 1000;

/**
 * Returns a function that a command calls after each step of a long write. If a server has the SQLite file open, it rests as long as
 * the step took: SQLite lets the next process write by chance, and a command that commits without a pause would keep the server waiting.
 */
export async function createRest(config: Pick<DatabaseConfig, 'database'>) {
  const path = databasePath(config);
  if (path === undefined) return async () => {};
  const { hasServer } = await import('../sqlite/file/lock-file.ts');
  let begunAt = performance.now();
  let lookedAt = Number.NEGATIVE_INFINITY;
  let isServed = false;
  return async (): Promise<void> => {
    const took = performance.now() - begunAt;
    if (performance.now() - lookedAt > lookMilliseconds) {
      isServed = hasServer(path);
      lookedAt = performance.now();
    }
    if (isServed) await rest(took);
    begunAt = performance.now();
  };
}

/** The absolute path of a SQLite file. */
export function databasePath({ database }: Pick<DatabaseConfig, 'database'>): string | undefined {
  return database.engine === 'sqlite' ? resolve(database.path) : undefined;
}

/** The location of the data for the log: a path, or hosts and a name without user and password. */
export async function describeDatabase({ database }: DatabaseConfig): Promise<string> {
  if (database.engine === 'sqlite') return resolve(database.path);
  const { describeLocation } = await import('../postgres/location.ts');
  return describeLocation(database.url);
}

/**
 * Rejects the path of a data file or a backup that is certainly not the one that was meant, before anything is opened.
 * @throws CliFailure or DatabaseUnusable with one line for the operator.
 */
export async function checkPath(
  given: DatabaseLocation | string,
  reportTo: (line: string) => void = report,
): Promise<void> {
  if (typeof given !== 'string' && given.engine !== 'sqlite') return;
  const path = typeof given === 'string' ? given : given.path;
  checkCurrentFolder(path);
  const { checkSpelling, rejectWhiteSpace } = await import('../sqlite/file/file-name.ts');
  rejectWhiteSpace(path);
  checkSpelling(path, reportTo);
}

/** Prints a line for the operator about findings and changes. */
export function report(line: string): void {
  printNote(`animal-store: ${line}`);
}

async function open(
  config: DatabaseConfig & Partial<ServerDatabaseConfig>,
  opening: Omit<OpenOptions, 'now' | 'createData'>,
): Promise<Database> {
  const { database: location, createData } = config;
  await checkPath(location, opening.report);
  const options = { ...opening, ...(createData && { createData }), now: Date.now };
  if (location.engine === 'sqlite') {
    const { openSqliteDatabase } = await import('../sqlite/database.ts');
    return openSqliteDatabase({ path: location.path, ...options });
  }
  const { openPostgresDatabase } = await import('../postgres/open-postgres.ts');
  return openPostgresDatabase({
    url: location.url,
    ...options,
    durability: durabilityOf(config),
    connectionsMax: config.databaseConnections,
    staleMillisecondsMax: config.staleMilliseconds,
    listenUrl: config.listenUrl,
    readsStandby: config.readStandby ?? false,
    letsSleep: (config.idlePolling ?? 0) > 0,
  });
}

/** Opens the data for a command that changes nothing. */
export async function openReader(config: DatabaseConfig): Promise<Reads & AsyncDisposable> {
  const { database: location } = config;
  await checkPath(location);
  if (location.engine === 'sqlite') {
    const { openSqliteReader } = await import('../sqlite/database.ts');
    const reader = await openSqliteReader(location.path);
    const refusal = await findRefusal(location.path);
    if (refusal !== undefined) report(refusal);
    return reader;
  }
  const { openPostgresReader } = await import('../postgres/open-postgres.ts');
  return openPostgresReader(location.url, durabilityOf(config));
}

/** The line with which a server would refuse a SQLite file. */
async function findRefusal(path: string): Promise<string | undefined> {
  const { findRefusal: find } = await import('../sqlite/life/check-life.ts');
  const { findFileToRead } = await import('../sqlite/file/data-file.ts');
  const refusal = find(findFileToRead(path));
  return refusal && `No server starts: ${refusal}`;
}

/** Migrates the data to the schema of this program. */
export async function migrateDatabase(config: CreatingConfig) {
  const { database: location, createData } = config;
  await checkPath(location);
  if (location.engine === 'sqlite') {
    const { migrateSqlite } = await import('../sqlite/database.ts');
    return migrateSqlite(location.path, Date.now(), report);
  }
  const { migratePostgres } = await import('../postgres/open-postgres.ts');
  return migratePostgres(location.url, durabilityOf(config), createData, Date.now());
}

/** Checks all data, while servers run. */
export async function verifyDatabase(location: DatabaseLocation, notedDigest?: string) {
  await checkPath(location);
  if (location.engine === 'sqlite') {
    const { verifyInThread } = await import('../sqlite/verify-in-thread.ts');
    const { found, notes } = await verifyInThread(location.path, { notedDigest });
    const refusal = await findRefusal(location.path);
    return { found, notes: refusal === undefined ? notes : [`${refusal}.`, ...notes] };
  }
  const { verifyDatabase: verify } = await import('../postgres/verify-postgres.ts');
  return verify(location.url, notedDigest);
}

/** Checks a backup of SQLite, and compares it with its manifest, if it has one. */
export async function verifyBackupFile(file: string, notedDigest?: string) {
  await checkPath(file);
  const { verifyBackup } = await import('../sqlite/backup/backup-manifest.ts');
  return verifyBackup(file, notedDigest);
}

/** The location of data and, on SQLite, how many animals it has. */
export async function describeStored(config: DatabaseConfig): Promise<string> {
  const { database } = config;
  await checkPath(database);
  if (database.engine === 'postgres') return describeDatabase(config);
  const { describeReplaced } = await import('../sqlite/backup/describe-replaced.ts');
  return (await describeReplaced(database.path)) ?? resolve(database.path);
}

interface AcceptResult {
  readonly pausedWebhooks: number;
  /** On SQLite. */
  readonly keptAs?: string | undefined;
  readonly animals?: number;
  readonly apiKeys?: number;
}

/**
 * Prepares data that other programs restored. Returns the number of webhooks, which are all paused, and the new name of the file as
 * it was; undefined on PostgreSQL.
 */
export async function acceptRestored(
  config: DatabaseConfig,
  { idGap, onBegin }: Pick<ReplaceOptions, 'idGap' | 'onBegin'>,
): Promise<AcceptResult> {
  const { database } = config;
  const now = Date.now();
  if (database.engine === 'sqlite') {
    const { acceptRestoredFile } = await import('../sqlite/accept-restored.ts');
    return await acceptRestoredFile(database.path, { idGap, now, report, onBegin });
  }
  const { acceptRestoredTables } = await import('../postgres/accept-restored-tables.ts');
  const durability = durabilityOf(config);
  return { pausedWebhooks: await acceptRestoredTables(database.url, durability, idGap, now) };
}

/** Opens data to be copied from. */
export async function openCopySource(location: DatabaseLocation) {
  if (location.engine === 'sqlite') {
    const { openSqliteSource } = await import('../sqlite/copy.ts');
    return openSqliteSource(location.path, report);
  }
  const { openPostgresSource } = await import('../postgres/open-for-copy.ts');
  return openPostgresSource(location.url);
}

/** Opens data to be copied to. */
export async function openCopyTarget(location: DatabaseLocation, config: DurabilityConfig) {
  const now = Date.now();
  if (location.engine === 'sqlite') {
    const { openSqliteTarget } = await import('../sqlite/copy.ts');
    return openSqliteTarget(location.path, now, report);
  }
  const { openPostgresTarget } = await import('../postgres/open-for-copy.ts');
  return openPostgresTarget(location.url, { durability: durabilityOf(config), now });
}

/**
 * Loads what makes, finds and restores backups of SQLite.
 * @throws CliFailure for data in PostgreSQL, which has its own tools. It says what to do `instead`.
 */
export async function loadBackups(location: DatabaseLocation, instead: string) {
  if (location.engine === 'postgres') {
    throw new CliFailure(
      `This command works only on SQLite, and the data is in PostgreSQL. ${instead} (docs/operations.md, Backups of PostgreSQL)`,
    );
  }
  return {
    path: location.path,
    ...(await import('../sqlite/backup/backup.ts')),
    ...(await import('../sqlite/backup/backup-folder.ts')),
    ...(await import('../sqlite/backup/describe-replaced.ts')),
    ...(await import('../sqlite/backup/newest-backup.ts')),
    ...(await import('../sqlite/backup/restore.ts')),
  };
}

export type Backups = Awaited<ReturnType<typeof loadBackups>>;
