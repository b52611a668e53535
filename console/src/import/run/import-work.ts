import { announceOwnChange } from '../../api/announce.ts';
import type { Stops } from '../../api/send-rows.ts';
import { messageOf } from '../../api/service.ts';
import { currentService } from '../../api/session.ts';
import { categoryName, findCategory } from '../../categories/categories-state.ts';
import type { ImportSource } from '../choose-file.tsx';
import type { ImportPlan } from '../import-plan.ts';
import type { KnownCategories } from './import-categories.ts';
import { digestOfSheet, readRecord } from './import-record.ts';
import { newResults, runImport } from './import-run.ts';
import {
  chosenFile,
  currentEnds,
  endImport,
  isPrepared,
  renewEnds,
  shownImport,
  shownUndo,
  type Work,
  work,
} from './import-state.ts';
import { newUndoResults, type UndoScope, undoImport } from './import-undo.ts';

const categories: KnownCategories = {
  findCategory,
  categoryName,
  onCreated: (data) => announceOwnChange({ type: 'category.created', data }),
};

/** Shows a table of a file, after the record of its earlier imports was read. */
export async function chooseTable(source: ImportSource): Promise<void> {
  endImport();
  const { signal } = currentEnds().end;
  chosenFile.value = { source };
  try {
    const digest = await digestOfSheet(source.file.digest, source.table.name);
    const record = await readRecord(digest, currentService(), { signal });
    if (!signal.aborted) chosenFile.value = { source, record };
  } catch (error) {
    if (!signal.aborted) chosenFile.value = { source, fault: messageOf(error) };
  }
}

/** Starts an import, or continues with the rows that have no result. */
export async function startImport(plan: ImportPlan, results = newResults()): Promise<void> {
  const digest = chosenFile.peek()?.record?.digest;
  if (digest === undefined) return;
  shownImport.value = { plan, results };
  isPrepared.value = false;
  const service = currentService();
  await run((stops, show) => {
    const onSearch = (...search: readonly [number, number]) => show({ isWaiting: false, search });
    const onProgress = (isWaiting: boolean) => show({ isWaiting, search: undefined });
    const options = { plan, digest, service, categories, results };
    return runImport({ ...options, onProgress, onSearch, ...stops });
  });
}

/** Undoes one run of an import, or all imports of the chosen table. Continues if there are results. */
export async function startUndo(scope: UndoScope, results = newUndoResults()): Promise<void> {
  const digest = chosenFile.peek()?.record?.digest;
  if (digest === undefined) return;
  shownUndo.value = { scope, results };
  const service = currentService();
  const onCategoryRemoved = (id: bigint) =>
    announceOwnChange({ type: 'category.deleted', data: { id } });
  await run((stops, show) => {
    const onProgress = (isWaiting: boolean) => show({ isWaiting });
    const options = { digest, service, scope, results, onCategoryRemoved };
    return undoImport({ ...options, onProgress, ...stops });
  });
}

async function run(
  act: (stops: Stops, show: (change: Partial<Work>) => void) => Promise<void>,
): Promise<void> {
  const own = renewEnds();
  const show = (change: Partial<Work>) => {
    if (currentEnds() === own) work.value = { ...work.peek(), ...change };
  };
  const { stop, end } = own;
  show({ state: 'running', isWaiting: false, search: undefined, fault: undefined });
  try {
    await act({ stop: stop.signal, signal: end.signal }, show);
    show({ state: 'done' });
  } catch (error) {
    show({ state: 'stopped', fault: stop.signal.aborted ? undefined : messageOf(error) });
  }
}
