import { rest } from '../../context/deadline.ts';
import { autoCheckpointPages } from '../connection.ts';
import type { openWalIndex } from '../data-version.ts';
import type { WatchedFile } from '../file/watch-files.ts';
import { hasWalResetFault, readSqliteVersion } from '../wal-reset-fault.ts';
import { longPages } from './wal.ts';
import { openThread, type openWriter } from './writer.ts';

/** The pause before a checkpoint that a long read prevented is tried again. */
const restMilliseconds = 500;

/** After an error, the writer checkpoints a long log itself for this time. */
const errorRestMilliseconds = 60_000;

/**
 * Commits continue during a checkpoint. The writer checkpoints what is left after this number of complete ones, so that the log
 * becomes short under every load.
 */
const checkpointsMax = 3;

export interface LongWalOptions {
  readonly path: string;
  /** The files that the writer has open. */
  readonly files: readonly WatchedFile[];
  readonly index: NonNullable<ReturnType<typeof openWalIndex>>;
  readonly writer: Pick<Awaited<ReturnType<typeof openWriter>>, 'pauseCheckpoints' | 'shortenWal'>;
  readonly report: (line: string) => void;
  /** The version of the loaded SQLite. */
  readonly sqliteVersion?: string;
}

/**
 * Makes a log short again that grew during a long read, without a commit that does it all (docs/decisions/sqlite.md). `check`
 * is called before the first commit and after each one. Dispose of it before the writer closes.
 */
export function watchWal({
  path,
  files,
  index,
  writer,
  report,
  sqliteVersion = readSqliteVersion(),
}: LongWalOptions) {
  const mayUseThread = !hasWalResetFault(sqliteVersion);
  if (!mayUseThread) report(faultLine(sqliteVersion));
  const closing = new AbortController();
  // The log of a server that was killed can be long.
  let isShort = false;
  let retryAt = 0;
  let running: Promise<void> | undefined;

  const pagesLeft = () => {
    const { written, checkpointed } = index.pages();
    return written - checkpointed;
  };

  async function checkpointLong(): Promise<void> {
    await writer.pauseCheckpoints();
    isShort = false;
    try {
      await checkpointInThread();
    } catch (error) {
      retryAt = performance.now() + errorRestMilliseconds;
      const reason = error instanceof Error ? error.message : String(error);
      report(
        `The long log ${path}-wal cannot be moved into ${path}: ${reason}. The server tries again in a minute`,
      );
    }
    await shorten();
  }

  /** Checkpoints the log in a thread of its own, which does not delay commits. */
  async function checkpointInThread(): Promise<void> {
    using thread = openThread();
    for (let complete = 0; complete < checkpointsMax; ) {
      if (closing.signal.aborted || pagesLeft() <= autoCheckpointPages) return;
      const { written } = index.pages();
      await thread.call('checkpoint', path, files);
      if (index.pages().checkpointed >= written) complete += 1;
      else await rest(restMilliseconds, closing.signal);
    }
  }

  async function shorten(): Promise<void> {
    isShort = await writer.shortenWal();
  }

  return {
    check(): void {
      if (running !== undefined || closing.signal.aborted) return;
      const isLong = mayUseThread && pagesLeft() > longPages && performance.now() >= retryAt;
      if (!isLong && isShort) return;
      running = (isLong ? checkpointLong() : shorten())
        // The writer has failed or the log was removed, and the server ends for that.
        .catch(() => {})
        .finally(() => {
          running = undefined;
        });
    },
    async [Symbol.asyncDispose](): Promise<void> {
      closing.abort();
      await running;
    },
  };
}

function faultLine(version: string): string {
  return `SQLite ${version} can lose committed data if a second thread checkpoints the log (https://sqlite.org/wal.html#walresetbug). So the writer does it alone, and the commit after a long read can take seconds`;
}
