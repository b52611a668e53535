import type { CopySource, CopyTarget } from '../storage/copies/copy.ts';
import type { Snapshot } from '../storage/queryable.ts';
import {
  openReaderConnection,
  openWritableConnection,
  openWriterConnection,
} from './connection.ts';
import { findFile, noDataLine } from './file/file.ts';
import { lockFile } from './file/lock.ts';
import { lockOrCreateFile } from './file/open-file.ts';
import { prepareFile } from './migrate-file.ts';
import { createQueryable } from './queryable.ts';
import { createTransact } from './writer/transact.ts';

/**
 * Opens a SQLite file to be copied from; nobody else has it meanwhile.
 * @throws DatabaseUnusable with one line for the operator, when there is none or it cannot be used as it is.
 */
export async function openSqliteSource(
  path: string,
  report: (line: string) => void,
): Promise<CopySource> {
  using opening = new DisposableStack();
  const realPath = findFile(path);
  const lock = opening.use(lockFile(realPath, 'copy or restore', report));
  await prepareFile(realPath, { refusalIfMissing: noDataLine(path), now: 0 });
  lock.keep();
  // The last to close folds the write-ahead log back into the file, which a reader cannot. A connection that has read
  // nothing does not count.
  const connection = openWritableConnection(realPath);
  opening.defer(() => connection.close());
  connection.query('SELECT 1 FROM meta').get();
  const open = opening.move();
  return {
    openSnapshot: async () => openSnapshot(realPath),
    [Symbol.asyncDispose]: async () => open.dispose(),
  };
}

/**
 * Opens a SQLite file to be copied to, and makes it when missing; nobody else has it meanwhile.
 * @throws DatabaseUnusable with one line for the operator.
 */
export async function openSqliteTarget(
  path: string,
  now: number,
  report: (line: string) => void,
): Promise<CopyTarget> {
  using opening = new DisposableStack();
  const holder = 'copy or restore';
  const { path: realPath, lock } = lockOrCreateFile(path, {
    holder,
    createData: 'auto',
    report,
    now,
  });
  opening.use(lock);
  await prepareFile(realPath, { unfinishedCopy: 'taken', now });
  lock.keep();
  const connection = openWriterConnection(realPath);
  opening.defer(() => connection.close());
  const open = opening.move();
  return {
    openSnapshot: async () => openSnapshot(realPath),
    transact: createTransact(connection),
    [Symbol.asyncDispose]: async () => open.dispose(),
  };
}

/** What the first read sees is what all others see. */
export function openSnapshot(path: string): Snapshot {
  const connection = openReaderConnection(path);
  connection.run('BEGIN');
  return {
    ...createQueryable(connection),
    async [Symbol.asyncDispose]() {
      connection.close();
    },
  };
}
