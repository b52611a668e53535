import { existsSync, statSync } from 'node:fs';
import { lookAgain } from '../../context/repeat.ts';
import { DatabaseUnusable } from '../../storage/contract/database-error.ts';
import { type Connection, openImmutableConnection, openReaderConnection } from '../connection.ts';
import {
  isBusy,
  isDamage,
  readUnlessDamaged,
  sqliteCode,
  systemCode,
  withOperatorError,
} from '../errors.ts';
import { hasContent, isShort, isThere } from '../file/file-system.ts';
import { createIntactCheck, readWalName } from '../file/intact-files.ts';
import { hasServer } from '../file/lock-file.ts';
import { openFiles } from '../file/open-files.ts';
import {
  type CommitMark,
  type LifeRecord,
  lifePath,
  noCommit,
  noLife,
  readLifeRecord,
} from './life-record.ts';
import { backupLife, hasCommit, type LifeRow, readLifeRow } from './life-table.ts';

/** How often a difference is looked at. A server that starts changes `NAME.life` and the file one after the other. */
const looks = { looksMax: 3, restMilliseconds: 20 };
/** The same for errors. A command that ends at this moment moves its log into the file page by page, and removes it. */
const failedLooks = { looksMax: 15, restMilliseconds: 20 };

interface LifeCheck {
  /** Whether no server has the file open, and commands are the only ones that can checkpoint its log at this moment. */
  readonly isAlone: boolean;
  /** Receives lines for the operator about findings that refuse nothing. */
  readonly report: (line: string) => void;
}

/** At most one of them. */
interface Findings {
  readonly refusal?: string;
  readonly note?: string;
}

/**
 * Rejects a data file that is not the one that `NAME.life` describes, or that lacks acknowledged commits (docs/decisions/sqlite.md).
 * It neither changes the file nor checkpoints its log.
 * @throws DatabaseUnusable with one line for the operator.
 */
export function checkLife(path: string, { isAlone, report }: LifeCheck): void {
  withOperatorError(`${path} cannot be opened`, () => {
    const { refusal, note } = lookForRefusal(path, isAlone);
    if (note !== undefined) report(note);
    if (refusal !== undefined) throw new DatabaseUnusable(refusal);
  });
}

/** Looks again before a refusal. */
function lookForRefusal(path: string, isAlone: boolean): Findings {
  const found = lookAgain(looks, (isLast) => {
    const findings = lookDespiteErrors(path, isAlone);
    return findings?.refusal === undefined || isLast ? findings : undefined;
  });
  return found ?? {};
}

/** Looks again after an error, because a file that has no log is read without locks. */
function lookDespiteErrors(path: string, isAlone: boolean): Findings | undefined {
  return lookAgain(failedLooks, (isLast) => {
    try {
      return look(path, isAlone);
    } catch (error) {
      const isRead = sqliteCode(error) !== undefined || systemCode(error) !== undefined;
      // SQLite reads no table if a page is missing that begins one.
      if (isLast && isAlone && isDamage(error) && isShort(path)) return { refusal: cut(path) };
      // SQLite has waited for a lock already.
      if (!isRead || isLast || isBusy(error)) throw error;
      return undefined;
    }
  });
}

function look(path: string, isAlone: boolean): Findings {
  // Read before the file, which a command can write to at this moment.
  const record = readLifeRecord(path);
  if (record?.isLost !== true) return compareWith(path, record, isAlone);
  // The file can be as it was again.
  return isAlone && isWholeAgain(path, record)
    ? { note: `${path} has all acknowledged writes again, after it or its log was overwritten` }
    : { refusal: overwritten(path) };
}

function isWholeAgain(path: string, record: LifeRecord): boolean {
  const isFound = readUnlessDamaged(
    () => compareWith(path, record, true).refusal === undefined && isWhole(path),
  );
  return isFound === true;
}

function compareWith(path: string, record: LifeRecord | undefined, isAlone: boolean): Findings {
  const hasLog = hasContent(`${path}-wal`);
  if (hasLog && isAlone && record !== undefined) {
    const refusal = findRefusalWithoutLog(path, record);
    if (refusal !== undefined) return { refusal };
  }
  // Without a log, a reader would create one.
  if (!hasLog && (isAlone || !existsSync(`${path}-shm`))) {
    using connection = openImmutableConnection(path);
    return compare(path, record, connection, hasLog);
  }
  using closing = new DisposableStack();
  const connection = openReaderConnection(path);
  // Closed after the connection, because closing a file ends the locks of SQLite.
  const files = closing.adopt(openFilesOf(connection, path), (each) => each[Symbol.dispose]());
  closing.defer(() => connection.close());
  const { checkFiles, hasAllPages, logPages } = createIntactCheck(files);
  const fault = checkFiles();
  if (fault !== undefined) return { refusal: `${fault.text}: see docs/operations.md` };
  // A checkpoint that a kill ended also leaves a short file, but its log has the rest.
  if (isAlone && !hasAllPages() && !isWhole(path)) return { refusal: cut(path) };
  // SQLite ignores a log without a whole frame, such as one that was cut.
  return compare(path, record, connection, logPages() > 0);
}

/** Whether SQLite finds no damage in the file with its log. It reads all pages. */
function isWhole(path: string): boolean {
  const result = readUnlessDamaged(() => {
    using connection = openReaderConnection(path);
    const check = 'PRAGMA integrity_check(1)';
    return connection.query<{ integrity_check: string }, []>(check).all()[0]?.integrity_check;
  });
  return result === 'ok';
}

/** Whether a start would refuse the file. The caller excludes other processes. */
export function isRefused(path: string): boolean {
  return readUnlessDamaged(() => look(path, true).refusal === undefined) !== true;
}

/**
 * The line with which a start would refuse the file, while other processes can use it; undefined if there is none, or if it cannot be
 * read without a change of its folder.
 */
export function findRefusal(path: string): string | undefined {
  try {
    const alone = !isThere(`${path}.lock`) || !hasServer(path);
    return lookForRefusal(path, alone).refusal;
  } catch (error) {
    if (sqliteCode(error) === undefined && systemCode(error) === undefined) throw error;
    return undefined;
  }
}

/** The index exists after the first read. */
function openFilesOf(connection: Connection, path: string) {
  try {
    connection.query('SELECT 1 FROM sqlite_schema').get();
    return openFiles(path);
  } catch (error) {
    connection.close();
    throw error;
  }
}

function compare(
  path: string,
  record: LifeRecord | undefined,
  connection: Connection,
  hasLog: boolean,
): Findings {
  const row = readLifeRow(connection);
  if (record === undefined) return compareWithoutRecord(path, row, hasLog);
  const life = row?.life ?? noLife;
  if (life !== record.present && life !== record.next) return { refusal: ofAnotherLife(path) };
  if (!hasCommit(connection, lastOf(record, life))) return { refusal: lacksCommits(path) };
  return {};
}

/** The last commit of a file. One that replaces another has no version of it, and a number above all of it. */
function lastOf({ present, next, last }: LifeRecord, life: string): CommitMark {
  return life === next && life !== present ? { ...noCommit, commits: last.commits } : last;
}

function compareWithoutRecord(path: string, row: LifeRow | undefined, hasLog: boolean): Findings {
  // Data of an earlier version.
  if (row === undefined) return {};
  const name = lifePath(path);
  if (row.life === backupLife) {
    return {
      note: `${path} is a copy of a backup, so ids that were assigned after the backup can be assigned again. Restore backups with animal-store restore, or stop the server and run animal-store accept-restored`,
    };
  }
  if (row.isRunning && !hasLog) {
    return {
      refusal: `${path} was in use by a server when it was copied, or its log is missing, and ${name} does not show which: bring back its log, or run animal-store accept-restored (with --id-gap 0 if nothing was written since this state of the file)`,
    };
  }
  // The file and its log can be of two moments.
  if (row.isRunning && !isWhole(path)) {
    return {
      refusal: `${path} is damaged, and ${name} is missing: bring back the file with its log and ${name}, or restore the last backup (animal-store accept-restored takes no damaged file)`,
    };
  }
  return { note: `${name} was missing or damaged, so missing commits cannot be noticed` };
}

/**
 * Whether a log was made for another data file than the one beside it, such as one that a backup was copied over. SQLite would apply
 * it. No other process has the file open.
 */
export function hasForeignLog(path: string): boolean {
  const record = readLifeRecord(path);
  if (record === undefined || !hasContent(`${path}-wal`)) return false;
  return findRefusalWithoutLog(path, record) !== undefined;
}

/** Whether `NAME.life` knows commits of this life that the file lacks, so that new ids need a gap. */
export function lacksKnownCommits(path: string): boolean {
  const record = readLifeRecord(path);
  if (record === undefined) return false;
  using connection = openReaderConnection(path);
  const life = readLifeRow(connection)?.life ?? noLife;
  const isSameLife = life === record.present || life === record.next;
  return isSameLife && !hasCommit(connection, lastOf(record, life));
}

/**
 * The data file alone has the commits before its log. A log must not be applied to another file. Undefined too if the file cannot be
 * read without its log, for example after a kill during a checkpoint.
 */
function findRefusalWithoutLog(path: string, record: LifeRecord): string | undefined {
  try {
    using connection = openImmutableConnection(path);
    if (endsWithinMarks(connection, path)) return undefined;
    const isBackup = readLifeRow(connection)?.life === backupLife && record.present !== backupLife;
    if (isBackup) return ofAnotherLife(path);
    // Another program can begin another log, after it has copied the whole of this one.
    const mark = isOtherLog(path, record) ? record.last : record.base;
    return hasCommit(connection, mark) ? undefined : lacksCommits(path);
  } catch (error) {
    if (sqliteCode(error) === undefined) throw error;
    return undefined;
  }
}

/** Whether the log beside the file is another than the one that has the last commit. */
function isOtherLog(path: string, { log }: LifeRecord): boolean {
  return log !== undefined && readWalName(`${path}-wal`) !== log;
}

/**
 * Whether a part of the last page is missing, and the rows that show commits can be on it: SQLite reads what is missing as zeros, so
 * that they look older. A page that is missing is an error.
 */
function endsWithinMarks(connection: Connection, path: string): boolean {
  const [pragma] = connection.query<{ page_size: number }, []>('PRAGMA page_size').all();
  const pages = pragma === undefined ? 0 : statSync(path).size / pragma.page_size;
  if (Number.isInteger(pages)) return false;
  const pageOfMarks = connection.query(
    "SELECT 1 FROM dbstat WHERE name IN ('sqlite_schema', 'life', 'workspaces') AND pageno = ?1",
  );
  return pageOfMarks.get(Math.ceil(pages)) !== null;
}

const cure =
  'bring back the file with its log, restore the last backup, or run animal-store accept-restored to continue without them';

export function foreignLogLine(path: string): string {
  return `${path}-wal is the log of another file than ${path}: ${cure}`;
}

/** New ids would start right above those of the file. */
export function withoutGapLine(path: string): string {
  return `${path} lacks acknowledged writes, so --id-gap 0 would assign ids again: leave it out, or give the number of ids that were assigned since`;
}

function ofAnotherLife(path: string): string {
  return `${path} is not the file that ${lifePath(path)} describes: another program restored, copied or replaced it. Restore backups with animal-store restore, or run animal-store accept-restored (with --id-gap 0 if nothing was written since this state of the file)`;
}

function lacksCommits(path: string): string {
  return `${path} lacks acknowledged writes, because it or its log was replaced, emptied or cut: ${cure}`;
}

function cut(path: string): string {
  return `${path} was cut, and its log does not have what is missing: bring back the file with its log, or restore the last backup (animal-store accept-restored takes no damaged file)`;
}

function overwritten(path: string): string {
  return `${path} or its log was emptied, cut or overwritten while it was open, so acknowledged writes are missing: ${cure}`;
}
