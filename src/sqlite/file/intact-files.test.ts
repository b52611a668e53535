import { expect, test } from 'bun:test';
import { closeSync, ftruncateSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createIntactCheck } from './intact-files.ts';
import type { WalIndex } from './wal-index.ts';

const pageBytes = 4096;
/** The page at 1 GiB. SQLite never uses it. */
const unusedPage = 262_145;

/** A file that ends before that page, and a log with frames of these pages. */
function check(pages: readonly number[]) {
  const folder = mkdtempSync(join(tmpdir(), 'intact-files-'));
  const [file, log, index] = ['a.db', 'a.db-wal', 'a.db-shm'].map((name) =>
    openSync(join(folder, name), 'w+'),
  ) as [number, number, number];
  try {
    ftruncateSync(file, (unusedPage - 1) * pageBytes);
    ftruncateSync(log, 32 + pages.length * (24 + pageBytes));
    writeSync(index, new Uint8Array(Uint32Array.from(pages).buffer), 0, pages.length * 4, 136);
    const found: WalIndex = {
      pageBytes,
      frameCount: pages.length,
      pageCount: unusedPage + 1,
      checksum: 0,
      moreChecksum: 0,
      salt: 0,
      moreSalt: 0,
      copiedFrames: 0,
      begunFrames: 0,
    };
    const path = join(folder, 'a.db');
    return createIntactCheck({ path, file, log, index }, () => found).checkFiles();
  } finally {
    for (const open of [file, log, index]) closeSync(open);
    rmSync(folder, { recursive: true });
  }
}

test('a file that grows beyond 1 GiB is whole without the page that SQLite never uses', () => {
  expect(check([1, unusedPage + 1])).toBeUndefined();
  expect(check([1, 2])).toMatchObject({ isLoss: true });
});
