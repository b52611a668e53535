import { every } from '../../context/deadline.ts';
import { DatabaseUnavailable } from '../../storage/contract/database-error.ts';
import { openWalIndex } from '../data-version.ts';
import { openFiles } from '../file/open-files.ts';
import { fillReserve } from '../file/reserve.ts';
import { openWriter } from './writer.ts';

/** How often the files are checked while nothing is committed. */
const checkMilliseconds = 500;

interface GuardedWriterOptions {
  /** A new life for the file of a server; undefined for a command. */
  readonly life: string | undefined;
  /** Receives lines for the operator about findings. */
  readonly report: (line: string) => void;
}

/**
 * Opens a writer that checks its files (docs/decisions/sqlite.md), and the index of the log. `closing` gets what closes them. The
 * caller adds its own connections later, so that they are closed earlier.
 */
export async function openGuardedWriter(
  path: string,
  { life, report }: GuardedWriterOptions,
  closing: AsyncDisposableStack,
) {
  let writer: Awaited<ReturnType<typeof openWriter>> | undefined;
  // Closed after all connections, because closing one of these files ends the locks of SQLite.
  const files = new DisposableStack();
  closing.defer(() => {
    if (writer?.isLost !== true) files.dispose();
  });
  let isReported = false;
  const onBehind = () => {
    if (isReported || life === undefined) return;
    isReported = true;
    report(`${path}.life cannot be written, so missing commits are perhaps not noticed at a start`);
  };
  writer = closing.use(await openWriter(path, onBehind));
  const { call, checkFiles } = writer;
  const open = files.use(openFiles(path));
  const index = openWalIndex(open.index);
  if (index !== undefined) files.use(index);
  await call('guard', { ...open }, index?.shared, life);
  if (life !== undefined) {
    // The next commit tries again.
    await call('startLife').catch((error: unknown) => {
      if (!(error instanceof DatabaseUnavailable)) throw error;
      report(`${error.message}. The server answers reads only, until the first write succeeds`);
    });
    const check = async () => {
      fillReserve(path);
      await checkFiles();
    };
    fillReserve(path);
    closing.use(every(checkMilliseconds, check));
  }
  return { writer, index };
}
