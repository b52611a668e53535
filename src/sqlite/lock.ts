import { Database as Connection } from 'bun:sqlite';
import { DatabaseUnavailable } from '../domain/database-error.ts';
import { sqliteCode, unusable } from './errors.ts';
import { makeIfMissing } from './file.ts';

/**
 * Who has a file at the same time: one server and any number of commands beside it; or nobody but a copy or a restore.
 */
export type LockHolder = 'server' | 'command' | 'copy or restore';

/** For commands, which are mostly done in milliseconds. */
const waitMillisecondsMax = 3000;

/**
 * Takes a file for as long as its holder needs it. The lock is SQLite's own, held on an empty file beside it: the
 * operating system frees it however the process ends. Its kinds are just those that are needed here: of two connections
 * that mean to write, one is refused, while readers may stay (RESERVED); and one that is to write now tolerates no reader
 * (EXCLUSIVE). https://sqlite.org/lockingv3.html
 * @throws DatabaseUnusable or DatabaseUnavailable with one line for the operator.
 */
export function lockFile(path: string, holder: LockHolder): Disposable {
  const lockPath = `${path}.lock`;
  try {
    makeIfMissing(lockPath);
    using opening = new DisposableStack();
    const connection = opening.use(new Connection(lockPath, { readwrite: true }));
    take[holder](connection, path);
    return opening.move();
  } catch (error) {
    throw unusable(`${lockPath} cannot be opened`, error);
  }
}

const take: Record<LockHolder, (connection: Connection, path: string) => void> = {
  server: takeFromServers,
  command(connection, path) {
    const line = `${path} is being copied or restored: try again later`;
    orSay(line, () => {
      connection.run('BEGIN');
      connection.query('SELECT 1 FROM sqlite_schema').get();
    });
  },
  'copy or restore'(connection, path) {
    // A server goes on for ever, so that nobody waits for its end.
    takeFromServers(connection, path);
    connection.run('ROLLBACK');
    connection.run(`PRAGMA busy_timeout = ${waitMillisecondsMax}`);
    const line = `${path} is in use by an animal-store command: try again later`;
    orSay(line, () => connection.run('BEGIN EXCLUSIVE'));
  },
};

function takeFromServers(connection: Connection, path: string): void {
  const line = `${path} is in use by another animal-store server, copy or restore`;
  orSay(line, () => connection.run('BEGIN IMMEDIATE'));
}

/** Does what others may hinder. */
function orSay(line: string, run: () => void): void {
  try {
    run();
  } catch (cause) {
    if (sqliteCode(cause)?.startsWith('SQLITE_BUSY') !== true) throw cause;
    throw new DatabaseUnavailable(line, { cause });
  }
}
