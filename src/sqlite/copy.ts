import type { CopySource, CopyTarget } from '../storage/copies/copy-database.ts';
import type { Snapshot } from '../storage/queryable.ts';
import { openReaderConnection, openWriterConnection } from './connection.ts';
import { openExisting } from './database.ts';
import { hasContent } from './file/file-system.ts';
import { lockOrCreateFile } from './file/lock-or-create-file.ts';
import { checkLife } from './life/check-life.ts';
import { prepareFile } from './migrate-file.ts';
import { createQueryable } from './queryable.ts';
import { createTransact } from './transaction.ts';

/**
 * Opens a SQLite file to be copied from. No other process uses it during the copy.
 * @throws DatabaseUnusable or DatabaseUnavailable with one line for the operator.
 */
export async function openSqliteSource(
  givenPath: string,
  report: (line: string) => void,
): Promise<CopySource> {
  const { path, connection, close } = await openExisting(givenPath, 'copy or restore', report);
  // SQLite ignores a connection that has read nothing when it decides which one is the last to close.
  connection.query('SELECT 1 FROM meta').get();
  return { openSnapshot: async () => openSnapshot(path), [Symbol.asyncDispose]: close };
}

/**
 * Opens a SQLite file to be copied to, and creates it if it is missing. No other process uses it during the copy.
 * @throws DatabaseUnusable or DatabaseUnavailable with one line for the operator.
 */
export async function openSqliteTarget(
  path: string,
  now: number,
  report: (line: string) => void,
): Promise<CopyTarget> {
  using opening = new DisposableStack();
  const options = { holder: 'copy or restore', createData: 'auto', report, now } as const;
  const { path: realPath, lock } = lockOrCreateFile(path, options);
  opening.use(lock);
  if (hasContent(realPath)) checkLife(realPath, { isAlone: true, report });
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

/** All reads see the state at the first read. */
function openSnapshot(path: string): Snapshot {
  const connection = openReaderConnection(path);
  connection.run('BEGIN');
  return {
    ...createQueryable(connection),
    async [Symbol.asyncDispose]() {
      connection.close();
    },
  };
}
