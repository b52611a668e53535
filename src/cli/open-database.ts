import { resolve } from 'node:path';
import type { Database } from '../domain/database.ts';
import type { Migration } from '../domain/older-schema.ts';
import type { TransferSource, TransferTarget } from '../domain/transfer.ts';
import type { Verification } from '../domain/verification.ts';
import { defaultWorkspaceName } from '../domain/workspace.ts';
import type { Config, DatabaseLocation } from '../ops/config.ts';
import { CommandFailure } from './command-line.ts';

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

/**
 * Opens a store, and makes it when missing. That is told: it may be that another one was meant. What an older program
 * wrote is refused, here and below: only `serve` and `migrate` change its schema.
 */
export function openDatabase(config: DatabaseConfig): Promise<Database> {
  return open(config, {
    asServer: false,
    mustExist: false,
    onMade(wasEmptyFile) {
      const path = storePath(config);
      const made = path === undefined ? 'the tables of a new store' : `a new store in ${path}`;
      const note = wasEmptyFile ? ', an empty file that was there' : '';
      process.stderr.write(`Made ${made}${note}\n`);
    },
  });
}

/** The same for a server, which migrates, and tells of a new store by its own means. */
export function openServerDatabase(config: DatabaseConfig, onMade: OnMade): Promise<Database> {
  return open(config, { asServer: true, mustExist: false, onMade });
}

/** The absolute path of a store that is a file. */
export function storePath({ database }: DatabaseConfig): string | undefined {
  return database.engine === 'sqlite' ? resolve(database.path) : undefined;
}

/** Opens a store for a command that has no use for a new one: a mistyped address is refused. */
export function openExistingDatabase(config: DatabaseConfig): Promise<Database> {
  return open(config, { asServer: false, mustExist: true });
}

type OnMade = (wasEmptyFile?: boolean) => void;

/** Opens a store for what is added to a workspace. A new one has just `default`, so that for another none is made. */
export function openDatabaseWith(workspaceName: string, config: DatabaseConfig): Promise<Database> {
  return workspaceName === defaultWorkspaceName
    ? openDatabase(config)
    : openExistingDatabase(config);
}

interface Opening {
  readonly asServer: boolean;
  readonly mustExist: boolean;
  readonly onMade?: OnMade;
}

/** This file is the only place that knows which engines there are. Only the one that is used is loaded. */
async function open(config: DatabaseConfig, options: Opening): Promise<Database> {
  const { database: location, allowDataLoss } = config;
  if (location.engine === 'sqlite') {
    const { openSqliteDatabase } = await import('../sqlite/database.ts');
    return openSqliteDatabase({ path: location.path, now: Date.now, ...options });
  }
  const { openPostgresDatabase } = await import('../postgres/database.ts');
  return openPostgresDatabase({
    url: location.url,
    ...options,
    now: Date.now,
    allowDataLoss,
    connectionsMax: config.databaseConnections,
    staleMillisecondsMax: config.staleMilliseconds,
  });
}

/** Brings a store to this program's schema. */
export async function migrateStore({
  database: location,
  allowDataLoss,
}: DatabaseConfig): Promise<Migration> {
  if (location.engine === 'sqlite') {
    const { migrateData } = await import('../sqlite/migrate-data.ts');
    return migrateData(location.path);
  }
  const { migrateData } = await import('../postgres/migrate-data.ts');
  return migrateData(location.url, allowDataLoss);
}

/** Looks through a whole store, while servers go on. */
export async function verifyStore(
  location: DatabaseLocation,
  notedDigest?: string,
): Promise<Verification> {
  if (location.engine === 'sqlite') {
    const { verifyInThread } = await import('../sqlite/verify-in-thread.ts');
    return verifyInThread(location.path, notedDigest);
  }
  const { verifyDatabase } = await import('../postgres/verify.ts');
  return verifyDatabase(location.url, notedDigest);
}

/** Makes tables of PostgreSQL ready for use that its own tools restored. */
export async function takeRestored(
  { database, allowDataLoss }: DatabaseConfig,
  idGap: number,
): Promise<void> {
  if (database.engine === 'sqlite') {
    throw new CommandFailure([
      'This is for PostgreSQL; the data is in SQLite, where restore sees to the ids itself',
    ]);
  }
  const { takeRestoredTables } = await import('../postgres/restored.ts');
  await takeRestoredTables(database.url, { allowDataLoss, idGap, now: Date.now() });
}

/** A store to copy from. */
export async function openTransferSource(location: DatabaseLocation): Promise<TransferSource> {
  if (location.engine === 'sqlite') {
    const { openSqliteSource } = await import('../sqlite/transfer.ts');
    return openSqliteSource(location.path);
  }
  const { openPostgresSource } = await import('../postgres/transfer.ts');
  return openPostgresSource(location.url);
}

/** A store to copy to. */
export async function openTransferTarget(
  location: DatabaseLocation,
  allowDataLoss: boolean,
): Promise<TransferTarget> {
  if (location.engine === 'sqlite') {
    const { openSqliteTarget } = await import('../sqlite/transfer.ts');
    return openSqliteTarget(location.path);
  }
  const { openPostgresTarget } = await import('../postgres/transfer.ts');
  return openPostgresTarget(location.url, allowDataLoss);
}
