import { closeSync, openSync } from 'node:fs';
import { systemCode } from '../errors.ts';
import {
  type CommitMark,
  changeLifeRecord,
  type LifeRecord,
  lifePath,
  noCommit,
  readLifeRecord,
  replaceLifeRecord,
} from './life-record.ts';

/** How long a server keeps `NAME.life` open. Another program can remove or replace it. */
const keepOpenMilliseconds = 1000;

interface LifeNotesOptions {
  /** The life of the data file; undefined for a file of an earlier version. */
  readonly life: string | undefined;
  /** A command opens `NAME.life` for each commit, because a server that starts can replace it. */
  readonly isServer: boolean;
}

/** Writes the marks of commits to `NAME.life`, after each commit and before its first answer. */
export function openLifeNotes(path: string, { isServer, ...initial }: LifeNotesOptions) {
  const { change, close } = openLifeFile(path, isServer);
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

type Change = Parameters<typeof changeLifeRecord>[1];

/** Changes `NAME.life`. A server makes it again if it is missing. Returns whether it was written. */
function openLifeFile(path: string, isServer: boolean) {
  let file: number | undefined;
  let reopenAt = 0;

  function open(): number {
    if (file !== undefined && performance.now() < reopenAt) return file;
    close();
    file = openSync(lifePath(path), 'r+');
    reopenAt = performance.now() + keepOpenMilliseconds;
    return file;
  }

  function close(): void {
    if (file !== undefined) closeSync(file);
    file = undefined;
  }

  function change(changed: Change): boolean {
    try {
      return changeLifeRecord(open(), changed);
    } catch (error) {
      return isServer && systemCode(error) === 'ENOENT' && replaceMissing(path, changed(undefined));
    } finally {
      if (!isServer) close();
    }
  }

  return { change, close };
}

function replaceMissing(path: string, record: LifeRecord | undefined): boolean {
  try {
    if (record !== undefined) replaceLifeRecord(path, record);
    return record !== undefined;
  } catch {
    return false;
  }
}

function newRecord(life: string, log: string | undefined): LifeRecord {
  return { present: life, next: undefined, last: noCommit, base: noCommit, log, isLost: false };
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
