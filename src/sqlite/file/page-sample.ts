import { readSync } from 'node:fs';
import type { OpenFiles } from './open-files.ts';
import { frameHeaderBytes, logHeaderBytes, readFramePages, type WalIndex } from './wal-index.ts';

/** How many of the newest frames that a checkpoint copied are looked at. */
const sampledFrames = 16;

/** The newest pages that a checkpoint has copied to a data file. An older copy of the file, and another file, have others. */
export function createPageSample({ file, log, index: indexFile }: OpenFiles) {
  let pages: readonly number[] = [];
  let pageBytes = 0;
  let digest = 0;

  /** The digest of pages at these positions of the data file or the log. */
  function digestAt(source: number, positions: readonly number[]): number {
    const bytes = Buffer.alloc(pageBytes);
    return positions.reduce((sum, position) => {
      const count = readSync(source, bytes, 0, pageBytes, position);
      return Bun.hash.crc32(bytes.subarray(0, count), sum);
    }, 0);
  }

  const digestPages = () => {
    const positions = pages.map((page) => (page - 1) * pageBytes);
    return digestAt(file, positions);
  };

  const positionOf = (frame: number) =>
    logHeaderBytes + frame * (frameHeaderBytes + pageBytes) - pageBytes;

  /** The pages, each with the number of its frame. */
  function findCopiedFrames(index: WalIndex): ReadonlyMap<number, number> {
    const { copiedFrames, frameCount, pageCount } = index;
    const copied = new Map<number, number>();
    if (copiedFrames === 0) return copied;
    const first = Math.max(1, copiedFrames - sampledFrames + 1);
    for (const [place, page] of readFramePages(indexFile, first, copiedFrames).entries()) {
      // Another process that begins the log again clears the numbers at this moment. The check is then repeated.
      if (page > 0 && page <= pageCount) copied.set(page, first + place);
    }
    // A page with a later frame was perhaps not copied.
    for (const page of readFramePages(indexFile, copiedFrames + 1, frameCount)) copied.delete(page);
    return copied;
  }

  return {
    /** Whether the pages are as they were. */
    isIntact: (): boolean => digestPages() === digest,
    /**
     * Takes the newest pages after a checkpoint. A log that has restarted does not name the pages of the last one, so those stay.
     * Returns false if the file does not have what the log has.
     */
    take(index: WalIndex): boolean {
      const copied = findCopiedFrames(index);
      if (copied.size > 0) {
        pages = [...copied.keys()];
        ({ pageBytes } = index);
      }
      digest = digestPages();
      return copied.size === 0 || digest === digestAt(log, [...copied.values()].map(positionOf));
    },
  };
}
