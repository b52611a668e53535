import type { Pointer } from 'bun:ffi';
import { toArrayBuffer } from 'bun:ffi';
import {
  DatabaseOutcomeUnknown,
  DatabaseUnavailable,
} from '../../domain/database/database-error.ts';
import type { Connection } from '../connection.ts';
import { createIntactCheck, type Fault, type OpenFiles } from '../file/intact-files.ts';
import { parseLogIndex, readLogIndex } from '../file/log-index.ts';
import { releaseReserve } from '../file/reserve.ts';
import { openLifeNotes } from '../life/life-notes.ts';
import type { CommitMark, LifeRecord } from '../life/life-record.ts';
import { createCommitCounter, hasCommit, hasLifeTable, readLifeRow } from '../life/life-table.ts';

/** What a transaction calls. Each function throws if the files are no longer those that the connection opened. */
export interface CommitGuard {
  /** After BEGIN. */
  begun(): void;
  /** Before COMMIT. */
  counted(): void;
  /** After COMMIT, before the first answer. */
  committed(): void;
}

export type OpenGuard = ReturnType<typeof openCommitGuard>;

/** The index of the log, where this process has mapped it. */
export type MappedIndex = Pointer;

const mappedBytes = 136;

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
  const check = createIntactCheck(files, createReadIndex(files, mapped));
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

  const guard: CommitGuard = {
    begun() {
      if (usesReserve) releaseReserve(path);
      const { record } = notes;
      const fault = keep(check.checkFiles() ?? findMissing(connection, record, check.logName()));
      if (fault !== undefined) throw new DatabaseUnavailable(fault);
      mark = undefined;
      if (isCounting) counter.begun(workspaceId);
    },
    counted() {
      mark = isCounting ? counter.counted(workspaceId) : undefined;
    },
    committed() {
      const fault = keep(check.committed());
      if (fault !== undefined) throw new DatabaseOutcomeUnknown(fault);
      if (mark !== undefined) isBehind = !notes.note(mark, check.logName());
    },
  };

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

function createReadIndex({ index }: OpenFiles, mapped: MappedIndex | undefined) {
  const read = () => readLogIndex(index);
  if (mapped === undefined) return read;
  const bytes = Buffer.from(toArrayBuffer(mapped, 0, mappedBytes));
  // The file tells a change that is in progress from an index that is not valid.
  return () => parseLogIndex(bytes) ?? read();
}
