import type { Pointer } from 'bun:ffi';
import { toArrayBuffer } from 'bun:ffi';
import {
  DatabaseOutcomeUnknown,
  DatabaseUnavailable,
} from '../../domain/database/database-error.ts';
import type { Connection } from '../connection.ts';
import { createIntactCheck, type Fault, type OpenFiles } from '../file/intact-files.ts';
import { createReadIndex, createReadMappedIndex, type ReadIndex } from '../file/log-index.ts';
import { releaseReserve } from '../file/reserve.ts';
import { openLifeNotes } from '../life/life-notes.ts';
import type { CommitMark, LifeRecord } from '../life/life-record.ts';
import {
  createCommitCounter,
  hasCommit,
  hasLifeTable,
  readLifeRow,
  readMark,
} from '../life/life-table.ts';

/** What a transaction calls. Each function throws if the files are no longer those that the connection opened. */
export interface CommitGuard {
  /** After BEGIN. Returns whether no other process has committed since the last transaction. */
  begun(): boolean;
  /** Before COMMIT. */
  counted(): void;
  /** After COMMIT, before the first answer. */
  committed(): void;
  /** After ROLLBACK. */
  undone(): void;
}

export type OpenGuard = ReturnType<typeof openCommitGuard>;

/** The index of the log, where this process has mapped it. */
export type MappedIndex = Pointer;

const mappedBytes = 136;

/** Within this time after a check, the files are not checked again before a transaction, but after it. */
const recheckMilliseconds = 5;

/**
 * Checks the files of a connection around each transaction, and writes the mark of each commit to `NAME.life`
 * (docs/decisions/sqlite.md).
 */
export function openCommitGuard(
  connection: Connection,
  files: OpenFiles,
  { mapped, isServer }: { readonly mapped: MappedIndex | undefined; readonly isServer: boolean },
) {
  const { path } = files;
  const check = createIntactCheck(files, readIndexOf(files, mapped));
  // Not by the mapped index: if its file was emptied, that would end the process.
  const { checkFiles } = createIntactCheck(files);
  const notes = openLifeNotes(path, { life: readLifeRow(connection)?.life, isServer });
  const counter = createCommitCounter(connection);
  let isCounting = hasLifeTable(connection);
  let isBehind = false;
  let usesReserve = false;
  let lost: string | undefined;
  let mark: Partial<CommitMark> | undefined;
  let workspaceId: bigint | undefined;

  /** From the first fault on, returns its line. */
  function keep(fault: Fault | undefined): string | undefined {
    if (fault === undefined || lost !== undefined) return lost;
    lost = `${fault.text}: see docs/operations.md`;
    if (fault.isLoss) notes.markLost();
    return lost;
  }

  const { isAlone, noteOthers } = createCompany();
  let checkedAt = 0;

  const guard: CommitGuard = {
    begun() {
      if (usesReserve) releaseReserve(path);
      const isSame = check.isUnchanged();
      if (!isSame) noteOthers();
      // The files were checked after the last commit. They are checked after this one too.
      const isRecent = isSame && performance.now() - checkedAt < recheckMilliseconds;
      if (!isRecent || check.isLong()) {
        const missing = () => findMissing(connection, notes.record, check.logName());
        const fault = keep(check.checkFiles() ?? missing());
        if (fault !== undefined) throw new DatabaseUnavailable(fault);
      }
      mark = undefined;
      if (isCounting) counter.begun(workspaceId, isSame);
      return isSame;
    },
    counted() {
      mark = isCounting ? counter.counted() : undefined;
    },
    undone: () => counter.forget(),
    committed() {
      const fault = keep(check.committed());
      if (fault !== undefined) throw new DatabaseOutcomeUnknown(fault);
      checkedAt = performance.now();
      if (mark !== undefined) isBehind = !note(mark);
    },
  };

  function note(of: Partial<CommitMark>): boolean {
    const log = check.logName();
    if (!isServer || !isAlone()) return notes.note(of, log);
    const isNoted = notes.noteAlone(of, log);
    // Another process has committed during this, and its mark may have been replaced.
    return check.isUnchanged() ? isNoted : notes.note({ ...of, ...readMark(connection, of) }, log);
  }

  return {
    ...guard,
    path,
    isServer,
    logPages: check.logPages,
    completeRecord: notes.complete,
    /** A line if the files were changed, and whether `NAME.life` lacks the last commit, because it cannot be written. */
    findings: () => ({ lost, isBehind }),
    /** Returns a line if the files were changed. Later transactions fail with it. */
    check: () => keep(checkFiles()),
    /** Called after a checkpoint, so that a later change of these pages is found. */
    learnPages(): void {
      keep(checkFiles() ?? check.checkFiles());
    },
    /** The workspace that the next transaction probably changes. */
    expect(id: bigint | undefined): void {
      workspaceId = id;
    },
    /** Called after a life began in the file. */
    startLife(newLife: string): void {
      isCounting = true;
      notes.startLife(newLife);
    },
    /** From now on, or until now, each transaction frees a step of the reserve, while no other transaction can take the space. */
    useReserve(isUsed: boolean): void {
      usesReserve = isUsed;
    },
  };
}

/** How long another process can take from its commit until its mark is written. */
const companyMilliseconds = 1000;

/** Whether only this process commits at present. */
function createCompany() {
  let othersUntil = performance.now() + companyMilliseconds;
  return {
    isAlone: () => performance.now() > othersUntil,
    noteOthers(): void {
      othersUntil = performance.now() + companyMilliseconds;
    },
  };
}

/**
 * After another process restarted the log, the last commit must be in the file. It is not if the index was overwritten by an older
 * one. SQLite would then write over acknowledged commits.
 */
function findMissing(
  connection: Connection,
  record: LifeRecord | undefined,
  log: string | undefined,
): Fault | undefined {
  if (record === undefined || record.log === log || hasCommit(connection, record.last)) {
    return undefined;
  }
  return { text: `${connection.filename}-shm was overwritten`, isLoss: false };
}

function readIndexOf({ index }: OpenFiles, mapped: MappedIndex | undefined): ReadIndex {
  const read = createReadIndex(index);
  return mapped === undefined
    ? read
    : createReadMappedIndex(toArrayBuffer(mapped, 0, mappedBytes), read);
}
