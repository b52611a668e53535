import { existsSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { rest } from '../../context/deadline.ts';
import { type DataState, readDataState } from '../../storage/copies/data-state.ts';
import { checkVersion } from '../../storage/schema/migrate.ts';
import { openReaderConnection, openWritableConnection } from '../connection.ts';
import { sqliteCode, withOperatorError } from '../errors.ts';
import { openFileReader } from '../file/file-reader.ts';
import { openNew } from '../file/file-system.ts';
import { readFileVersion } from '../migrate-file.ts';
import { createQueryable } from '../queryable.ts';

/** The size of a piece. If a server can use the file, each piece is flushed before the next is copied. */
const pieceBytes = 2 ** 20;

/**
 * The pause after each piece, as a multiple of the time of its flush. So servers have the disk for most of the time, even if it
 * is slow.
 */
const restRatio = 3;

// https://sqlite.org/fileformat2.html#walformat
const logHeaderBytes = 32;
const frameHeaderBytes = 24n;

/** A change of the number of frames takes microseconds, but its process can be stopped. */
const countTriesMax = 1000;

/**
 * Copies the state of a database at one moment to new files, while servers write to it (docs/decisions/backups.md). The read transaction prevents checkpoints of newer commits and a
 * restart of the log (https://sqlite.org/wal.html#ckpt). So SQLite can combine file and log as after a crash: a page that was
 * copied while a checkpoint wrote it is in the log too. Returns the states of the source at two moments. The copy has the state of
 * one moment between them, because the log grows during the copy.
 */
export async function copyWhileWritten(path: string, target: string, options: CopyOptions) {
  const states = await copyFileAndLog(path, target, options);
  applyLog(target);
  return states;
}

interface CopyOptions {
  /** Receives the number of bytes just copied, and the total. */
  readonly onBytes?: (bytes: number, totalBytes: number) => void;
  /** What to do with data of an older schema. The default is `refused`. */
  readonly older?: 'refused' | 'migrated';
  /** A `kept` file has no server, unless it has a log. */
  readonly use?: 'kept' | 'served';
}

/** Moves the log of a copy into the copy. */
export function applyLog(target: string): void {
  using copied = openWritableConnection(target);
  copied.run('PRAGMA journal_mode = DELETE');
}

/** As `copyWhileWritten`, but the copy can have a log. */
export async function copyFileAndLog(
  path: string,
  target: string,
  { onBytes = () => {}, ...options }: CopyOptions,
) {
  await using opened = new AsyncDisposableStack();
  const opening = withOperatorError(`${path} cannot be read`, () =>
    openSource(path, opened, options),
  );
  const { file, log, reader, earlier } = await opening;
  const bytes = (await file.stat()).size;
  const header = log && (await readHeader(log));
  const logBytes = log === undefined ? 0 : await visibleBytes(path, (await log.stat()).size);
  // A file without a log has no server that waits for the disk.
  const isPaced = options.use !== 'kept' || log !== undefined;
  const report = (copied: number) => onBytes(copied, bytes + logBytes);
  if (log !== undefined) {
    await using copiedLog = await openNew(`${target}-wal`);
    await copyBytes(log, copiedLog, logBytes, isPaced, report);
    // If the file already contained the whole log, a server may restart the log during the copy. A part of the old log would
    // undo newer changes. It is not needed then, so it is dropped.
    if (header?.equals(await readHeader(log)) !== true) await copiedLog.truncate(0);
  }
  const later = await readState(path, options.use);
  await using copy = await openNew(target);
  await copyBytes(file, copy, bytes, isPaced, report);
  reader.checkUnchanged();
  return { earlier, later };
}

export async function readState(path: string, use?: CopyOptions['use']): Promise<DataState> {
  using reader = openFileReader(path, use);
  return await readDataState(createQueryable(reader.connection));
}

/** Opens a file and its log under a read transaction. */
async function openSource(path: string, opened: AsyncDisposableStack, { older, use }: CopyOptions) {
  // Closed after the connection, because closing a file ends all locks of this process on it.
  const file = opened.use(await open(path, 'r'));
  const reader = opened.use(openFileReader(path, use));
  checkVersion(path, await readFileVersion(reader.connection, path), older);
  const earlier = await readDataState(createQueryable(reader.connection));
  const hasLog = existsSync(`${path}-wal`);
  const log = hasLog ? opened.use(await open(`${path}-wal`, 'r')) : undefined;
  return { file, log, reader, earlier };
}

/**
 * The size of the part of a log that readers see. After it, a commit can follow that is not flushed yet, and that a copy would
 * contain before any reader sees it.
 */
async function visibleBytes(path: string, logBytes: number): Promise<number> {
  try {
    using connection = openReaderConnection(path);
    const page = connection.query<{ page_size: bigint }, []>('PRAGMA page_size').get();
    const frameBytes = frameHeaderBytes + (page?.page_size ?? 0n);
    const count = connection.query<{ log: bigint }, []>('PRAGMA wal_checkpoint(NOOP)');
    for (let tries = 0; tries < countTriesMax; tries += 1) {
      const { log: frames = 0n } = count.get() ?? {};
      // A commit that changes the number at this moment makes it -1.
      if (frames >= 0n) return Math.min(logBytes, logHeaderBytes + Number(frames * frameBytes));
      await rest(1);
    }
    return logBytes;
  } catch (error) {
    if (!cannotCheckpoint.test(sqliteCode(error) ?? '')) throw error;
    return logBytes;
  }
}

/**
 * SQLite before 3.51, as on some versions of macOS, begins a checkpoint instead, and fails to write. Later versions also fail if
 * this user may only read the log.
 */
const cannotCheckpoint = /^SQLITE_(?:IOERR_WRITE|READONLY)/;

/** The header contains two random numbers that change each time the log restarts, before anything else is written. */
async function readHeader(log: FileHandle): Promise<Buffer> {
  const { buffer, bytesRead } = await log.read(Buffer.alloc(logHeaderBytes), 0, logHeaderBytes, 0);
  return buffer.subarray(0, bytesRead);
}

async function copyBytes(
  source: FileHandle,
  copy: FileHandle,
  bytes: number,
  isPaced: boolean,
  onBytes: (bytes: number) => void,
): Promise<void> {
  const piece = Buffer.alloc(pieceBytes);
  for (let position = 0; position < bytes; ) {
    const length = Math.min(pieceBytes, bytes - position);
    const { bytesRead } = await source.read(piece, 0, length, position);
    if (bytesRead === 0) return;
    await copy.appendFile(piece.subarray(0, bytesRead));
    position += bytesRead;
    if (isPaced) await flushAndRest(copy);
    onBytes(bytesRead);
  }
}

async function flushAndRest(copy: FileHandle): Promise<void> {
  const before = performance.now();
  await copy.datasync();
  await rest((performance.now() - before) * restRatio);
}
