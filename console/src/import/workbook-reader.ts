import { readSecondsMax } from '../files/file-limits.ts';
import { fileTexts as texts } from '../texts/files.ts';
import type { SheetTable, WorkbookAnswer, WorkbookQuestion } from '../workbook/sheet-table.ts';

const readerName = 'workbook-reader.js';

/** Beside the other scripts of this version, also behind a proxy that adds a prefix to the path of the page. */
const readerUrl = new URL(readerName, import.meta.url).href;

/** The page's content security policy allows this policy alone, and once. So the page can start no other script. */
const readerPolicy = globalThis.trustedTypes?.createPolicy('workbook-reader', {
  createScriptURL: () => readerUrl,
});

/** The reader did not start, or ended by a fault of its own. */
export class ReaderFailed extends Error {}

/** Whether the server has the reader of another version. */
export async function isReaderReplaced(): Promise<boolean> {
  return (await fetch(readerUrl, { cache: 'no-store' })).status === 404;
}

/** Reads a workbook in a worker. The message of an error is for the user. */
export async function readSheets(file: File, signal: AbortSignal): Promise<readonly SheetTable[]> {
  signal.throwIfAborted();
  const worker = new Worker(readerPolicy?.createScriptURL('') ?? readerUrl, { type: 'module' });
  let timer: ReturnType<typeof setTimeout> | undefined;
  try {
    const answer = await new Promise<WorkbookAnswer>((resolve, reject) => {
      worker.addEventListener('message', ({ data }: MessageEvent<WorkbookAnswer>) => resolve(data));
      worker.addEventListener('error', () => reject(new ReaderFailed(texts.readerFailed)));
      timer = setTimeout(
        () => reject(new Error(texts.workbookTooSlow(readSecondsMax))),
        readSecondsMax * 1000,
      );
      signal.addEventListener('abort', () => reject(signal.reason));
      const question: WorkbookQuestion = { file, locale: navigator.language };
      worker.postMessage(question);
    });
    if ('refused' in answer) throw new Error(answer.refused);
    return answer.sheets;
  } finally {
    clearTimeout(timer);
    worker.terminate();
  }
}
