import type { Connection } from '../connection.ts';
import { openLifeFile } from './life-file.ts';
import {
  type CommitMark,
  emptyRecord,
  type LifeRecord,
  readLifeRecord,
  replaceLifeRecord,
} from './life-record.ts';
import { type Changes, countCommit, hasCommit, readLifeRow, readMark } from './life-table.ts';

interface CommitMarksOptions {
  readonly path: string;
  /** A command opens `NAME.life` for each commit, because a server that starts can replace it. */
  readonly isServer: boolean;
  /** What has happened to the files since they were last checked. */
  readonly findChange: () => 'none' | 'checkpoint' | 'commit';
  /** Identifies the log. */
  readonly walName: () => string | undefined;
}

/** How long another process can take from its commit until its mark is written. */
const companyMilliseconds = 1000;

/** Counts the commits of a connection, and writes their marks to `NAME.life`, after each commit and before its first answer. */
export function createCommitMarks(
  connection: Connection,
  { path, isServer, findChange, walName }: CommitMarksOptions,
) {
  const { change, close, state, note, noteAlone } = openNotes(path, isServer);
  state.life = readLifeRow(connection)?.life;
  let mark: Partial<CommitMark> | undefined;
  let ownCount = 0;
  let companyUntil = performance.now() + companyMilliseconds;

  return {
    /** Lets each later start refuse the file, because acknowledged commits can be missing. */
    markLost: () => change((found) => found && { ...found, isLost: true }),
    /** Writes `NAME.life` again if it is missing or damaged. */
    complete(): void {
      const { record } = state;
      if (record !== undefined && readLifeRecord(path) === undefined) {
        replaceLifeRecord(path, record);
      }
    },
    /** After BEGIN. `isSame` means that no other process has committed since the last transaction. */
    begun(isSame: boolean): void {
      mark = undefined;
      if (!isSame) companyUntil = performance.now() + companyMilliseconds;
    },
    /** Whether another program has put other contents into the file of a server, through SQLite. */
    isReplaced: (): boolean => isServer && readLifeRow(connection)?.life !== state.life,
    /** Before COMMIT. A raised version of a workspace shows a commit without a change of another page. */
    counted({ hasChanges, raised }: Changes): void {
      // A server can have started since the command opened the file.
      if (!isServer) state.life = readLifeRow(connection)?.life;
      if (state.life === undefined || !hasChanges) return;
      mark = raised ?? { commits: countCommit(connection) };
    },
    /** After COMMIT. Returns false if the mark could not be written. */
    committed(): boolean {
      if (mark === undefined) return true;
      ownCount += 1;
      const log = walName();
      if (!isServer || performance.now() <= companyUntil) return note(mark, log);
      const isNoted = noteAlone(mark, log);
      if (findChange() !== 'commit') return isNoted;
      // Another process has committed during this, and its mark may have been replaced.
      return note({ ...mark, ...readMark(connection, mark) }, log);
    },
    /** How many commits changed something. */
    ownCount: () => ownCount,
    /**
     * Whether the last commit of this process is missing after another process has restarted the log. Then the index was overwritten
     * by an older one, and SQLite would write over acknowledged commits.
     */
    isLastMissing(): boolean {
      const { record } = state;
      return (
        record !== undefined && record.log !== walName() && !hasCommit(connection, record.last)
      );
    },
    /** Called after a life began in the file. */
    startLife(newLife: string): void {
      state.life = newLife;
      close();
    },
  };
}

interface NotesState {
  /** The life of the data file; undefined for a file of an earlier version. */
  life: string | undefined;
  /** The record after the last commit of this process. */
  record: LifeRecord | undefined;
}

/** Opens `NAME.life` to write the marks of commits to it. */
function openNotes(path: string, isServer: boolean) {
  const { change, write, close } = openLifeFile(path, isServer);
  const state: NotesState = { life: undefined, record: undefined };

  /** The record after a commit. Undefined for the record of another life, which a server has begun since. */
  function recordOf(
    found: LifeRecord | undefined,
    of: Partial<CommitMark>,
    log: string | undefined,
  ): LifeRecord | undefined {
    const { life } = state;
    if (life === undefined) return undefined;
    const isOurs = found !== undefined && (found.present === life || found.next === life);
    // Only the server, which has the lock, knows that no other life began.
    if (!isOurs && !isServer) return undefined;
    const before = isOurs ? found : (state.record ?? { ...emptyRecord, present: life, log });
    const base = before.log === log ? before.base : before.last;
    return { ...before, last: laterMark(before.last, of), base, log };
  }

  /** Writes the mark of a commit, in this log. Returns whether it is in `NAME.life`. */
  function note(of: Partial<CommitMark>, log: string | undefined): boolean {
    return change((found) => {
      const next = recordOf(found, of, log);
      state.record = next ?? state.record;
      return next;
    });
  }

  /** Does the same if no other process can have written to `NAME.life` since the last commit. It needs no lock. */
  function noteAlone(of: Partial<CommitMark>, log: string | undefined): boolean {
    const next = state.record && recordOf(state.record, of, log);
    if (next === undefined) return note(of, log);
    state.record = next;
    return write(next);
  }

  return { change, close, state, note, noteAlone };
}

/** The file has both. */
function laterMark(one: CommitMark, { commits = 0, ...of }: Partial<CommitMark>): CommitMark {
  const { workspaceId = one.workspaceId, version = one.version } = of;
  const isEarlier = workspaceId === one.workspaceId && version < one.version;
  return {
    commits: Math.max(one.commits, commits),
    workspaceId,
    version: isEarlier ? one.version : version,
  };
}
