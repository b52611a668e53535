import { type Pointer, toArrayBuffer } from 'bun:ffi';
import { fstatSync } from 'node:fs';
import {
  DatabaseOutcomeUnknown,
  DatabaseUnavailable,
} from '../../storage/contract/database-error.ts';
import type { Connection } from '../connection.ts';
import { createIntactCheck, type Fault } from '../file/intact-files.ts';
import type { OpenFiles } from '../file/open-files.ts';
import { releaseReserve } from '../file/reserve.ts';
import {
  countFramesLeft,
  createReadIndex,
  createReadMappedIndex,
  indexBytes,
  type ReadIndex,
} from '../file/wal-index.ts';
import { createCommitMarks } from '../life/commit-marks.ts';
import type { Changes } from '../life/life-table.ts';

/** What a transaction calls. Two of the functions throw if the files are no longer those that the connection opened. */
export interface CommitGuard {
  /** After BEGIN. Returns whether no other process has committed since the last transaction. */
  begun(): boolean;
  /** Before COMMIT. */
  counted(changes: Changes): void;
  /** After COMMIT, before the first answer. */
  committed(): void;
}

export type OpenGuard = ReturnType<typeof openCommitGuard>;

/** Within this time after a check, the files are not checked again before a transaction, but after it. */
const recheckMilliseconds = 5;

/**
 * Checks the files of a connection around each transaction, and writes the mark of each commit to `NAME.life`
 * (docs/decisions/sqlite.md).
 */
export function openCommitGuard(
  connection: Connection,
  files: OpenFiles,
  { mapped, isServer }: { readonly mapped: Pointer | undefined; readonly isServer: boolean },
) {
  const { path } = files;
  const check = createIntactCheck(files, readIndexOf(files, mapped));
  // Not by the mapped index: if its file was emptied, that would end the process.
  const unmapped = createIntactCheck(files);
  const marks = createCommitMarks(connection, { ...check, path, isServer });
  let [isBehind, usesReserve] = [false, false];
  let lost: string | undefined;
  let checkedAt = 0;

  /** From the first fault on, returns its line. */
  function keep(fault: Fault | undefined): string | undefined {
    if (fault === undefined || lost !== undefined) return lost;
    lost = `${fault.text}: see docs/operations.md`;
    if (fault.isLoss) marks.markLost();
    return lost;
  }

  const { missing, replaced } = faultsOf(path);
  const checkBefore = () => check.checkFiles() ?? (marks.isLastMissing() ? missing : undefined);

  const guard: CommitGuard = {
    begun() {
      if (usesReserve) releaseReserve(path);
      const change = check.findChange();
      const isSame = change !== 'commit';
      // They were checked after the last commit, and are checked after this one.
      const isRecent = change === 'none' && performance.now() - checkedAt < recheckMilliseconds;
      const other = !isSame && marks.isReplaced() ? replaced : undefined;
      const fault = isRecent && !check.isLong() ? lost : keep(other ?? checkBefore());
      if (fault !== undefined) throw new DatabaseUnavailable(fault);
      marks.begun(isSame);
      return isSame;
    },
    counted: marks.counted,
    committed() {
      const fault = keep(check.committed());
      if (fault !== undefined) throw new DatabaseOutcomeUnknown(fault);
      checkedAt = performance.now();
      isBehind = !marks.committed();
    },
  };

  return {
    ...guard,
    path,
    isServer,
    ownCount: marks.ownCount,
    completeRecord: marks.complete,
    startLife: marks.startLife,
    /** A line if the files were changed, and whether `NAME.life` lacks the last commit, because it cannot be written. */
    findings: () => ({ lost, isBehind }),
    /** Returns a line if the files were changed. Later transactions fail with it. */
    check: () => keep(unmapped.checkFiles()),
    /** The frames of the log that are not in the data file; 0 if that is unknown. */
    framesLeft: () => countFramesLeft(createReadIndex(files.index)()),
    /** Whether the data file has no name any more, so that it is lost when this process ends. */
    isRemoved: () => fstatSync(files.file).nlink === 0,
    /** Called after a checkpoint, so that a later change of these pages is found. */
    learnPages: () => keep(unmapped.checkFiles() ?? check.checkFiles()),
    /** Whether each transaction frees a step of the reserve, when no other can take the space. */
    useReserve(isUsed: boolean): void {
      usesReserve = isUsed;
    },
  };
}

function faultsOf(path: string): Readonly<Record<'missing' | 'replaced', Fault>> {
  return {
    missing: { text: `${path}-shm was overwritten`, isLoss: false },
    replaced: { text: `${path} was replaced through SQLite by another program`, isLoss: true },
  };
}

function readIndexOf({ index }: OpenFiles, mapped: Pointer | undefined): ReadIndex {
  const read = createReadIndex(index);
  return mapped === undefined
    ? read
    : createReadMappedIndex(toArrayBuffer(mapped, 0, indexBytes), read);
}
