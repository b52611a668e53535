import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { openFiles } from '../src/sqlite/file/open-files.ts';
import { createPageSample } from '../src/sqlite/file/page-sample.ts';
import { createReadIndex, indexBytes, type WalIndex } from '../src/sqlite/file/wal-index.ts';
import { makeTemporaryFolder } from './support/temporary-folder.ts';

// The numbers of pages are read while another process writes, so a part of them can be cleared: `demo` ended with a RangeError.
test('an index whose page numbers another process has just cleared is no fault of the program', () => {
  using folder = makeTemporaryFolder();
  const [path, copy] = [`${folder.path}/a.db`, `${folder.path}/b.db`];
  using database = new Database(path);
  database.run('PRAGMA journal_mode = WAL');
  database.run('CREATE TABLE a (text)');
  for (let count = 0; count < 20; count += 1) {
    database.run('INSERT INTO a VALUES (hex(randomblob(3000)))');
  }
  database.run('PRAGMA wal_checkpoint(PASSIVE)');
  for (const suffix of ['', '-wal', '-shm']) copyFileSync(path + suffix, copy + suffix);
  const takeSample = () => {
    using files = openFiles(copy);
    const index = createReadIndex(files.index)();
    if (typeof index !== 'object') throw new Error('The index is short.');
    const read: WalIndex = index;
    expect(read.copiedFrames).toBeGreaterThan(0);
    return createPageSample(files).take(read);
  };
  expect(takeSample()).toBe(true);
  const cleared = readFileSync(`${copy}-shm`);
  writeFileSync(`${copy}-shm`, cleared.fill(0, indexBytes));
  expect(takeSample()).toBe(true);
});
