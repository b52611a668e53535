import { openReaderConnection, openWritableConnection } from '../connection.ts';
import { readUnlessDamaged } from '../errors.ts';
import { hasContent } from '../file/file-system.ts';
import { newLife } from './begin-life.ts';
import {
  emptyRecord,
  type LifeRecord,
  noCommit,
  noLife,
  readLifeRecord,
  replaceLifeRecord,
} from './life-record.ts';
import { backupLife, type LifeRow, readLifeRow, writeLife } from './life-table.ts';

/**
 * Gives a file that will replace the one at `path` a life of its own. Call `before` and `after` around the replacement. A process
 * that is killed in between leaves a file that `NAME.life` describes, the old or the new one. `idMax` is the highest counter of ids in
 * the replacement.
 */
export function prepareReplacement(path: string, replacement: string, idMax = 0n) {
  const record = readLifeRecord(path) ?? emptyRecord;
  const replaced = hasContent(path) ? readRow(path) : undefined;
  const life = newLife();
  const commits = 1 + Math.max(record.last.commits, replaced?.commits ?? 0);
  writeLifeOf(replacement, { life, commits, isRunning: false });
  const next: LifeRecord = {
    ...record,
    present: replaced?.life ?? noLife,
    next: life,
    base: noCommit,
    log: undefined,
    idMax: idMaxOf(path, idMax),
  };
  return {
    before: () => replaceLifeRecord(path, next),
    after: () =>
      replaceLifeRecord(path, {
        ...next,
        present: life,
        next: undefined,
        last: { ...noCommit, commits },
        isLost: false,
      }),
  };
}

/** The highest number that a restore has given a counter of ids, as `NAME.life` shows; at least `idMin`. */
export function idMaxOf(path: string, idMin = 0n): bigint {
  const { idMax = 0n } = readLifeRecord(path) ?? {};
  return idMax > idMin ? idMax : idMin;
}

/**
 * Clears the mark of a server that was killed in a file that is replaced, and has its log no more, so that the kept file can be served.
 * A file that lacks commits keeps it.
 */
export function clearMarkOfReplaced(path: string): void {
  if (readRow(path)?.isRunning !== true) return;
  using connection = openWritableConnection(path);
  connection.run('UPDATE life SET is_running = 0');
}

/** Marks a backup, so that a server which starts on a copy of it reports that. */
export function markAsBackup(path: string): void {
  writeLifeOf(path, { life: backupLife, commits: 0, isRunning: false });
}

function writeLifeOf(path: string, row: LifeRow): void {
  using connection = openWritableConnection(path);
  connection.run('BEGIN IMMEDIATE');
  writeLife(connection, row);
  connection.run('COMMIT');
}

/** Undefined for the file of an earlier version, and for one that is not readable, which can be why it is replaced. */
function readRow(path: string): LifeRow | undefined {
  return readUnlessDamaged(() => {
    using connection = openReaderConnection(path);
    return readLifeRow(connection);
  });
}
