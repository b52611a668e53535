// A worker of its own reads a workbook, so that the page stays responsive, and can stop the worker. A fault in the libraries that
// read it has no access to the page, and its response allows no connection.
import { readWorkbook } from './read-workbook.ts';
import type { WorkbookAnswer, WorkbookQuestion } from './sheet-table.ts';

async function answer({ file, locale }: WorkbookQuestion): Promise<WorkbookAnswer> {
  try {
    return { sheets: await readWorkbook(file, locale) };
  } catch (error) {
    return { refused: String(error instanceof Error ? error.message : error) };
  }
}

addEventListener('message', ({ data }: MessageEvent<WorkbookQuestion>) => {
  void answer(data).then((found) => postMessage(found));
});
