import { existsSync } from 'node:fs';
import { stat, statfs } from 'node:fs/promises';
import {
  createCommandQueue,
  defaultCommandQueueLimits,
} from '../storage/commands/command-queue.ts';
import type { Database } from '../storage/contract/database.ts';
import { DatabaseUnusable } from '../storage/contract/database-error.ts';
import type { Reads } from '../storage/contract/reads-and-commands.ts';
import { createDatabase } from '../storage/create-database.ts';
import { type OpenOptions, reportPrepared } from '../storage/open-options.ts';
import { createReads } from '../storage/registry.ts';
import { type Migrated, schemaVersion } from '../storage/schema/prepare-schema.ts';
import { endingWithCall } from '../storage/within.ts';
import { type Connection, openReaderConnection, openWritableConnection } from './connection.ts';
import { createDataVersion } from './data-version.ts';
import { findFile, findPath, noDataLine } from './file/data-file.ts';
import { hasContent } from './file/file-system.ts';
import { hasServer, type LockHolder, lockFile } from './file/lock-file.ts';
import { lockOrCreateFile } from './file/lock-or-create-file.ts';
import { withReserve } from './file/reserve.ts';
import { watchFiles } from './file/watch-files.ts';
import { newLife } from './life/begin-life.ts';
import { checkLife, foreignLogLine, hasForeignLog } from './life/check-life.ts';
import { closeUnlessChanged } from './life/close-unless-changed.ts';
import { prepareFile } from './migrate-file.ts';
import { isFolderReadOnly, openReadOnly } from './open-read-only.ts';
import { createQueryable } from './queryable.ts';
import { openGuardedWriter } from './writer/guarded-writer.ts';
import { watchWal } from './writer/long-wal.ts';

interface SqliteOptions extends OpenOptions {
  /** The path of the file. A missing folder is created. */
  readonly path: string;
}

/**
 * Opens a SQLite file to write to. One server at a time can have the file, with any number of commands beside it.
 * @throws DatabaseUnusable or DatabaseUnavailable with one line for the operator.
 */
export function openSqliteDatabase(options: SqliteOptions): Promise<Database> {
  return withReserve(findPath(options.path), () => open(options));
}

async function open(options: SqliteOptions): Promise<Database> {
  const { asServer, mustExist = false, beforeChange, now, limits } = options;
  const { report = () => {} } = options;
  await using opening = new AsyncDisposableStack();
  // Before an empty file is created. Other files are changed by a migration, if at all.
  const isNew = !hasContent(findPath(options.path));
  if (isNew) await beforeChange?.();
  const { path, wasMade, lock } = lockForUse(options);
  opening.use(lock);
  if (hasContent(path)) checkLife(path, { isAlone: asServer || !hasServer(path), report });
  reportMissingLog(path, report);
  // A command does not migrate, because the server of the older version could not start again.
  const version = await prepareFile(path, {
    ...(mustExist ? { refusalIfMissing: noDataLine(path) } : {}),
    older: asServer ? 'migrated' : 'refused',
    beforeChange: isNew ? undefined : beforeChange,
    now: now(),
  });
  lock.keep();
  reportPrepared(version, options, !wasMade);
  const watched = asServer ? opening.use(watchFiles()) : undefined;
  watched?.add(path);
  const life = asServer ? newLife() : undefined;
  const { writer, index } = await openGuardedWriter(path, { life, report }, opening);
  if (watched !== undefined) {
    for (const suffix of ['-wal', '-shm']) watched.add(path + suffix);
    watched.lost.then(writer.giveUp);
    // Before the writer closes, because that removes the log.
    opening.use(watched);
  }
  const wal =
    watched &&
    index &&
    opening.use(watchWal({ path, files: watched.files, index, writer, report }));
  wal?.check();
  // SQLite runs one transaction at a time.
  const queue = createCommandQueue({
    limits: { ...defaultCommandQueueLimits, ...limits, transactionsMax: 1 },
    async commit(_, group) {
      const outcomes = await writer.commit(group);
      wal?.check();
      return outcomes;
    },
  });
  opening.use(queue);
  // The serving thread must not wait for a lock. While the writer has the file open, reads need none.
  const connection = openReaderConnection(path, 0);
  opening.defer(() => connection.close());
  const opened = opening.move();
  return createDatabase({
    within: endingWithCall(createQueryable(connection)),
    queue,
    ...createDataVersion(connection, index),
    staleMillisecondsMax: 0,
    readsWait: false,
    broken: writer.broken,
    statistics: async () => ({ file: await measure(path) }),
    close: () => opened.disposeAsync(),
  });
}

/** SQLite removes the index of the log before the log. An index without a log means that the log was removed or left behind. */
function reportMissingLog(path: string, report: (line: string) => void): void {
  if (!hasContent(path) || existsSync(`${path}-wal`) || !existsSync(`${path}-shm`)) return;
  report(
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
}: SqliteOptions) {
  const holder = asServer ? 'server' : 'command';
  if (!mustExist) {
    return lockOrCreateFile(givenPath, { holder, createData, report, now: now() });
  }
  const path = findFile(givenPath);
  return { path, wasMade: false, lock: lockFile(path, holder, report) };
}

/**
 * Opens a SQLite file only to read from, while other processes write to it.
 * @throws DatabaseUnusable or DatabaseUnavailable with one line for the operator.
 */
export async function openSqliteReader(givenPath: string): Promise<Reads & AsyncDisposable> {
  const open = isFolderReadOnly(givenPath) ? openReadOnly : openForReads;
  const { queryable, close } = await open(givenPath);
  return { ...createReads(endingWithCall(queryable)), [Symbol.asyncDispose]: close };
}

async function openForReads(givenPath: string) {
  const { connection, close } = await openExisting(givenPath, 'command', () => {});
  connection.run('PRAGMA query_only = 1');
  return { queryable: createQueryable(connection), close };
}

/**
 * Locks an existing file, and opens a connection that does not write. A read-only connection would not do: the last connection
 * to close moves the write-ahead log into the file.
 */
export function openExisting(
  givenPath: string,
  holder: LockHolder,
  report: (line: string) => void,
) {
  return withReserve(findPath(givenPath), () => openOnce(givenPath, holder, report));
}

/** The connection of a later check is then not the last to close, and leaves the log of a server that was killed. */
function keepLog(connection: Connection): void {
  try {
    connection.query('SELECT 1 FROM sqlite_schema').get();
  } catch {
    // The later check has the line for the operator.
  }
}

async function openOnce(givenPath: string, holder: LockHolder, report: (line: string) => void) {
  using opening = new DisposableStack();
  const path = findFile(givenPath);
  const lock = opening.use(lockFile(path, holder, report));
  // A copy would have no trace of what its source lacks.
  if (holder === 'copy or restore') checkLife(path, { isAlone: true, report: () => {} });
  // The last connection to close would apply the log.
  else if (!hasServer(path) && hasForeignLog(path)) {
    throw new DatabaseUnusable(foreignLogLine(path));
  }
  const connection = openWritableConnection(path);
  opening.defer(() => closeUnlessChanged(connection, path));
  keepLog(connection);
  await prepareFile(path, { refusalIfMissing: noDataLine(givenPath), now: 0 });
  lock.keep();
  const open = opening.move();
  return { path, connection, close: async () => open.dispose() };
}

/**
 * Migrates a SQLite file to the schema of this program, while no server uses it.
 * @throws DatabaseUnusable or DatabaseUnavailable with one line for the operator.
 */
export async function migrateSqlite(
  givenPath: string,
  now: number,
  report: (line: string) => void,
): Promise<Migrated> {
  const path = findFile(givenPath);
  using lock = lockFile(path, 'server', report);
  checkLife(path, { isAlone: true, report });
  const from = await prepareFile(path, { older: 'migrated', now });
  lock.keep();
  return { from, to: schemaVersion };
}

async function measure(path: string) {
  // An unknown size, such as that of a removed file, must not look like a full disk.
  const unknown = () => Number.NaN;
  const sizeOf = (name: string) => stat(name).then(({ size }) => size, unknown);
  const [bytes, logBytes, freeBytes] = await Promise.all([
    sizeOf(path),
    sizeOf(`${path}-wal`),
    statfs(path).then(({ bavail, bsize }) => bavail * bsize, unknown),
  ]);
  return { bytes, logBytes, freeBytes };
}
