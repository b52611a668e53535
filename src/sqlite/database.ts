import { existsSync } from 'node:fs';
import { stat, statfs } from 'node:fs/promises';
import type { CreateData } from '../domain/database/create-data.ts';
import type { Database, FileStatistics } from '../domain/database/database.ts';
import type { Reads } from '../domain/database/reads.ts';
import {
  type CommandQueueLimits,
  commonLane,
  createCommandQueue,
  defaultCommandQueueLimits,
} from '../storage/commands/command-queue.ts';
import { createDatabase } from '../storage/database.ts';
import { createReads } from '../storage/reads.ts';
import { type Migrated, schemaVersion } from '../storage/schema/migrate.ts';
import { openReaderConnection, openWritableConnection } from './connection.ts';
import { createDataVersion, openWalIndex, type WalIndex } from './data-version.ts';
import { findFile, findPlace, hasContent, noDataLine } from './file/file.ts';
import { lockFile } from './file/lock.ts';
import { type LockedFile, lockOrCreateFile } from './file/open-file.ts';
import { watchFile } from './file/watch-file.ts';
import { prepareFile } from './migrate-file.ts';
import { createQueryable } from './queryable.ts';
import { openWriter } from './writer/writer.ts';

export interface SqliteOptions {
  /** Of the file; its folder is made when missing. */
  readonly path: string;
  /** One server at a time has the file, and migrates it; commands run beside it. */
  readonly asServer: boolean;
  /** Rejects a path without data. */
  readonly mustExist?: boolean;
  /** Whether to create data if there is none; `auto` unless given. */
  readonly createData?: CreateData;
  /** Runs before data is made or migrated, which it can prevent by an error. */
  readonly beforeChange?: () => Promise<void>;
  /** Called where there was no data and some was made, perhaps in a file that was there and empty. */
  readonly onMade?: (wasEmptyFile: boolean) => void;
  /** Receives lines for the operator about what was found and done. */
  readonly report?: (line: string) => void;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly limits?: Partial<CommandQueueLimits>;
}

/**
 * Opens a SQLite file, making it first, or migrating it for a server.
 * @throws DatabaseUnusable with one line for the operator, when the file cannot be used as it is.
 */
export async function openSqliteDatabase(options: SqliteOptions): Promise<Database> {
  const { asServer, mustExist = false, beforeChange, onMade = () => {}, now, limits } = options;
  await using opening = new AsyncDisposableStack();
  // Before an empty file is made.
  if (!hasContent(findPlace(options.path))) await beforeChange?.();
  const { path, wasMade, lock } = lockForUse(options);
  opening.use(lock);
  reportMissingLog(path, options.report);
  // Whoever only runs a command does not expect that the server which runs cannot be started again.
  const version = await prepareFile(path, {
    ...(mustExist ? { refusalIfMissing: noDataLine(path) } : {}),
    older: asServer ? 'migrated' : 'refused',
    beforeChange,
    now: now(),
  });
  lock.keep();
  if (version === 0) onMade(!wasMade);
  const watched = asServer ? opening.use(watchFile(path)) : undefined;
  let index: WalIndex | undefined;
  // After all connections.
  opening.defer(() => index?.[Symbol.dispose]());
  const writer = opening.use(await openWriter(path));
  index = openWalIndex(path);
  if (watched !== undefined) {
    const besides = ['-wal', '-shm'].map((suffix) => opening.use(watchFile(path + suffix)));
    for (const { lost } of [watched, ...besides]) lost.then(writer.giveUp);
  }
  // There is one transaction at a time, whichever workspaces it is about.
  const queue = createCommandQueue({
    limits: { ...defaultCommandQueueLimits, ...limits, transactionsMax: 1 },
    commit: writer.commit,
    partitionOf: () => commonLane,
  });
  opening.use(queue);
  // It runs in the thread that serves, which must not wait: there is the writer beside it, so it need not.
  const connection = openReaderConnection(path, 0);
  opening.defer(() => connection.close());
  const open = opening.move();
  return createDatabase({
    queryable: createQueryable(connection),
    queue,
    dataVersion: createDataVersion(connection, index),
    staleMillisecondsMax: 0,
    broken: writer.broken,
    statistics: async () => ({ file: await measure(path) }),
    close: () => open.disposeAsync(),
  });
}

/** A process that ends removes the index of the log before the log, so the index alone shows that the log was removed or left behind. */
function reportMissingLog(path: string, report?: (line: string) => void): void {
  if (!hasContent(path) || existsSync(`${path}-wal`) || !existsSync(`${path}-shm`)) return;
  report?.(
    `${path}-wal is missing although ${path}-shm is there, so acknowledged writes can be missing. If you have the log, move it back before anything else is written`,
  );
}

function lockForUse({
  path: givenPath,
  asServer,
  mustExist = false,
  createData = 'auto',
  report = () => {},
  now,
}: SqliteOptions): LockedFile {
  const holder = asServer ? 'server' : 'command';
  if (!mustExist) {
    return lockOrCreateFile(givenPath, { holder, createData, report, now: now() });
  }
  const path = findFile(givenPath);
  return { path, wasMade: false, lock: lockFile(path, holder, report) };
}

/**
 * Opens a SQLite file to read from alone, beside whoever writes to it.
 * @throws DatabaseUnusable with one line for the operator.
 */
export async function openSqliteReader(givenPath: string): Promise<Reads & AsyncDisposable> {
  using opening = new DisposableStack();
  const path = findFile(givenPath);
  const lock = opening.use(lockFile(path, 'command', () => {}));
  await prepareFile(path, { refusalIfMissing: noDataLine(path), now: 0 });
  lock.keep();
  // The last to close folds the write-ahead log back into the file, which a connection for reading alone cannot.
  const connection = openWritableConnection(path);
  opening.defer(() => connection.close());
  connection.run('PRAGMA query_only = 1');
  const open = opening.move();
  return {
    ...createReads(createQueryable(connection)),
    [Symbol.asyncDispose]: async () => open.dispose(),
  };
}

/**
 * Brings a SQLite file to this program's schema, while no server has it.
 * @throws DatabaseUnusable or DatabaseUnavailable with one line for the operator.
 */
export async function migrateSqlite(
  givenPath: string,
  now: number,
  report: (line: string) => void,
): Promise<Migrated> {
  const path = findFile(givenPath);
  using lock = lockFile(path, 'server', report);
  const from = await prepareFile(path, { older: 'migrated', now });
  lock.keep();
  return { from, to: schemaVersion };
}

async function measure(path: string): Promise<FileStatistics> {
  const [bytes, logBytes, freeBytes] = await Promise.all([
    orUnknown(async () => (await stat(path)).size),
    orUnknown(async () => (await stat(`${path}-wal`)).size),
    orUnknown(async () => {
      const { bavail, bsize } = await statfs(path);
      return bavail * bsize;
    }),
  ]);
  return { bytes, logBytes, freeBytes };
}

/** What cannot be told, such as of a file that has gone, must not look like a disk that is full. */
async function orUnknown(read: () => Promise<number>): Promise<number> {
  try {
    return await read();
  } catch {
    return Number.NaN;
  }
}
