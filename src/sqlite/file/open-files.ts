import { closeSync, openSync } from 'node:fs';

/** The open files of a database. They stay open until all connections of the process are closed. */
export interface OpenFiles {
  readonly path: string;
  readonly file: number;
  readonly log: number;
  readonly index: number;
}

/** Opens the files. Closing one of them ends all locks of SQLite in this process, so it is done after the last connection. */
export function openFiles(path: string): OpenFiles & Disposable {
  using opening = new DisposableStack();
  const open = (suffix: string) => {
    const file = openSync(path + suffix, 'r');
    opening.defer(() => closeSync(file));
    return file;
  };
  const files = { path, file: open(''), log: open('-wal'), index: open('-shm') };
  const opened = opening.move();
  return { ...files, [Symbol.dispose]: () => opened.dispose() };
}
