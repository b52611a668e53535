import { openLifeFile } from './life-file.ts';
import {
  type CommitMark,
  type LifeRecord,
  noCommit,
  readLifeRecord,
  replaceLifeRecord,
} from './life-record.ts';

interface LifeNotesOptions {
  /** The life of the data file; undefined for a file of an earlier version. */
  readonly life: string | undefined;
  /** A command opens `NAME.life` for each commit, because a server that starts can replace it. */
  readonly isServer: boolean;
}

/** Writes the marks of commits to `NAME.life`, after each commit and before its first answer. */
export function openLifeNotes(path: string, { isServer, ...initial }: LifeNotesOptions) {
  const { change, write, close } = openLifeFile(path, isServer);
  let { life } = initial;
  let record: LifeRecord | undefined;

  /** The record after a commit. Undefined for the record of another life, which a server has begun since. */
  function recordOf(
    found: LifeRecord | undefined,
    mark: Partial<CommitMark>,
    log: string | undefined,
  ): LifeRecord | undefined {
    if (life === undefined) return undefined;
    const isOurs = found !== undefined && (found.present === life || found.next === life);
    // Only the server, which has the lock, knows that no other life began.
    if (!isOurs && !isServer) return undefined;
    const before = isOurs ? found : (record ?? newRecord(life, log));
    const base = before.log === log ? before.base : before.last;
    return { ...before, last: laterMark(before.last, mark), base, log };
  }

  return {
    /** The record after the last commit of this process. */
    get record(): LifeRecord | undefined {
      return record;
    },
    /** Writes the mark of a commit, in this log. Returns whether it is in `NAME.life`. */
    note: (mark: Partial<CommitMark>, log: string | undefined): boolean =>
      change((found) => {
        const next = recordOf(found, mark, log);
        record = next ?? record;
        return next;
      }),
    /** Does the same if no other process can have written to `NAME.life` since the last commit. It needs no lock. */
    noteAlone(mark: Partial<CommitMark>, log: string | undefined): boolean {
      const next = record && recordOf(record, mark, log);
      if (next === undefined) return this.note(mark, log);
      record = next;
      return write(next);
    },
    /** Lets each later start refuse the file, because acknowledged commits can be missing. */
    markLost: () => change((found) => found && { ...found, isLost: true }),
    /** Called after a life began in the file. */
    startLife(newLife: string): void {
      life = newLife;
      close();
    },
    /** Writes `NAME.life` again if it is missing or damaged. */
    complete(): void {
      if (record !== undefined && readLifeRecord(path) === undefined) {
        replaceLifeRecord(path, record);
      }
    },
  };
}

function newRecord(life: string, log: string | undefined): LifeRecord {
  const marks = { last: noCommit, base: noCommit, log, idMax: 0n };
  return { present: life, next: undefined, ...marks, isLost: false };
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
