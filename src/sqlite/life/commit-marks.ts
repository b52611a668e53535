import type { Connection } from '../connection.ts';
import { openLifeNotes } from './life-notes.ts';
import type { CommitMark, LifeRecord } from './life-record.ts';
import {
  type Changes,
  countCommit,
  hasCommit,
  hasLifeTable,
  readLifeRow,
  readMark,
} from './life-table.ts';

interface CommitMarksOptions {
  readonly path: string;
  readonly isServer: boolean;
  /** What has happened to the files since they were last checked. */
  readonly findChange: () => 'none' | 'checkpoint' | 'commit';
  /** Identifies the log. */
  readonly logName: () => string | undefined;
}

/** How long another process can take from its commit until its mark is written. */
const companyMilliseconds = 1000;

/** Counts the commits of a connection, and writes their marks to `NAME.life`. */
export function createCommitMarks(
  connection: Connection,
  { path, isServer, findChange, logName }: CommitMarksOptions,
) {
  const notes = openLifeNotes(path, { life: readLifeRow(connection)?.life, isServer });
  let isCounting = hasLifeTable(connection);
  /** The life that this server began. */
  let life: string | undefined;
  let mark: Partial<CommitMark> | undefined;
  let ownCount = 0;
  const company = createCompany();
  const isAlone = () => isServer && !company.isThere();

  function note(of: Partial<CommitMark>): boolean {
    const log = logName();
    if (!isAlone()) return notes.note(of, log);
    const isNoted = notes.noteAlone(of, log);
    if (findChange() !== 'commit') return isNoted;
    // Another process has committed during this, and its mark may have been replaced.
    return notes.note({ ...of, ...readMark(connection, of) }, log);
  }

  /** A server can have started since the command opened the file. */
  function findLife(): void {
    const row = readLifeRow(connection);
    isCounting = row !== undefined;
    if (row !== undefined) notes.startLife(row.life);
  }

  return {
    markLost: notes.markLost,
    complete: notes.complete,
    /** After BEGIN. `isSame` means that no other process has committed since the last transaction. */
    begun(isSame: boolean): void {
      mark = undefined;
      if (!isSame) company.noted();
    },
    /** Whether another program has put other contents into the file of a server, through SQLite. */
    isReplaced: (): boolean =>
      isServer && life !== undefined && readLifeRow(connection)?.life !== life,
    /** Before COMMIT. A raised version of a workspace shows a commit without a change of another page. */
    counted({ hasChanges, raised }: Changes): void {
      if (!isServer) findLife();
      if (!isCounting || !hasChanges) return;
      mark = raised ?? { commits: countCommit(connection) };
    },
    /** After COMMIT. Returns false if the mark could not be written. */
    committed(): boolean {
      if (mark === undefined) return true;
      ownCount += 1;
      return note(mark);
    },
    /** How many commits changed something. */
    ownCount: () => ownCount,
    isLastMissing: () => isMissing(connection, notes.record, logName()),
    /** Called after a life began in the file. */
    startLife(newLife: string): void {
      isCounting = true;
      life = newLife;
      notes.startLife(newLife);
    },
  };
}

/** Whether another process has committed a moment ago, so that its mark can arrive now. */
function createCompany() {
  let isThereUntil = performance.now() + companyMilliseconds;
  return {
    isThere: () => performance.now() <= isThereUntil,
    noted(): void {
      isThereUntil = performance.now() + companyMilliseconds;
    },
  };
}

/**
 * Whether the last commit of this process is missing after another process has restarted the log. Then the index was overwritten by an
 * older one, and SQLite would write over acknowledged commits.
 */
function isMissing(
  connection: Connection,
  record: LifeRecord | undefined,
  log: string | undefined,
): boolean {
  return record !== undefined && record.log !== log && !hasCommit(connection, record.last);
}
