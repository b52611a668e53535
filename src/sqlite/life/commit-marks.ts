import type { Connection } from '../connection.ts';
import { openLifeNotes } from './life-notes.ts';
import type { CommitMark } from './life-record.ts';
import {
  createCommitCounter,
  hasCommit,
  hasLifeTable,
  readLifeRow,
  readMark,
} from './life-table.ts';

interface CommitMarksOptions {
  readonly path: string;
  readonly isServer: boolean;
  /** Whether no process has committed since the files were last checked. */
  readonly isUnchanged: () => boolean;
  /** Identifies the log. */
  readonly logName: () => string | undefined;
}

/** How long another process can take from its commit until its mark is written. */
const companyMilliseconds = 1000;

/** Counts the commits of a connection, and writes their marks to `NAME.life`. */
export function createCommitMarks(
  connection: Connection,
  { path, isServer, isUnchanged, logName }: CommitMarksOptions,
) {
  const notes = openLifeNotes(path, { life: readLifeRow(connection)?.life, isServer });
  const counter = createCommitCounter(connection);
  let isCounting = hasLifeTable(connection);
  let mark: Partial<CommitMark> | undefined;
  let aloneFrom = performance.now() + companyMilliseconds;

  function note(of: Partial<CommitMark>): boolean {
    const log = logName();
    if (!isServer || performance.now() < aloneFrom) return notes.note(of, log);
    const isNoted = notes.noteAlone(of, log);
    // Another process has committed during this, and its mark may have been replaced.
    return isUnchanged() ? isNoted : notes.note({ ...of, ...readMark(connection, of) }, log);
  }

  return {
    markLost: notes.markLost,
    complete: notes.complete,
    undone: counter.forget,
    /** After BEGIN. `isSame` means that no other process has committed since the last transaction. */
    begun(workspaceId: bigint | undefined, isSame: boolean): void {
      mark = undefined;
      if (!isSame) aloneFrom = performance.now() + companyMilliseconds;
      if (isCounting) counter.begun(workspaceId, isSame);
    },
    /** Before COMMIT. */
    counted(): void {
      mark = isCounting ? counter.counted() : undefined;
    },
    /** After COMMIT. Returns false if the mark could not be written. */
    committed: (): boolean => mark === undefined || note(mark),
    /**
     * Whether the last commit of this process is missing after another process has restarted the log. Then the index was overwritten
     * by an older one, and SQLite would write over acknowledged commits.
     */
    isLastMissing(): boolean {
      const { record } = notes;
      if (record === undefined || record.log === logName()) return false;
      return !hasCommit(connection, record.last);
    },
    /** Called after a life began in the file. */
    startLife(life: string): void {
      isCounting = true;
      notes.startLife(life);
    },
  };
}
