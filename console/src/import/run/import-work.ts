import { announceOwnChange } from '../../api/announce.ts';
import type { Stops } from '../../api/send-rows.ts';
import { messageOf } from '../../api/service.ts';
import { currentService } from '../../api/session.ts';
import { categoryName, findCategory } from '../../categories/categories-state.ts';
import type { ImportSource } from '../choose-file.tsx';
import type { ImportPlan } from '../import-plan.ts';
import type { KnownCategories } from './import-categories.ts';
import { digestOfSheet, readRecord, type Service } from './import-record.ts';
import { newResults, runImport } from './import-run.ts';
import {
  chosenFile,
  currentEnds,
  endImport,
  isPrepared,
  renewEnds,
  type ShownImport,
  type ShownUndo,
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
export function startImport(plan: ImportPlan, results = newResults()): Promise<void> {
  return run({ plan, results }, (begun, show) => {
    const onSearch = (...search: readonly [number, number]) => show({ isWaiting: false, search });
    const onProgress = (isWaiting: boolean) => show({ isWaiting, search: undefined });
    return runImport({ ...begun, plan, results, categories, onProgress, onSearch });
  });
}

/** Undoes one run of an import, or all imports of the chosen table. Continues if there are results. */
export function startUndo(scope: UndoScope, results = newUndoResults()): Promise<void> {
  return run({ scope, results }, (begun, show) => {
    const onProgress = (isWaiting: boolean) => show({ isWaiting });
    const onCategoryRemoved = (id: bigint) =>
      announceOwnChange({ type: 'category.deleted', data: { id } });
    return undoImport({ ...begun, scope, results, onProgress, onCategoryRemoved });
  });
}

interface Begun extends Stops {
  readonly digest: string;
  readonly service: Service;
}

/** Shows an import of the chosen table or its Undo, and runs it. */
async function run(
  shown: ShownImport | ShownUndo,
  act: (begun: Begun, show: (change: Partial<Work>) => void) => Promise<void>,
): Promise<void> {
  const chosen = chosenFile.peek();
  if (chosen?.record === undefined) return;
  const { digest } = chosen.record;
  chosenFile.value = { ...chosen, shown };
  isPrepared.value = false;
  const own = renewEnds();
  const show = (change: Partial<Work>) => {
    if (currentEnds() === own) work.value = { ...work.peek(), ...change };
  };
  const { stop, end } = own;
  show({ state: 'running', isWaiting: false, search: undefined, fault: undefined });
  try {
    const service = currentService();
    await act({ digest, service, stop: stop.signal, signal: end.signal }, show);
    show({ state: 'done' });
  } catch (error) {
    show({ state: 'stopped', fault: stop.signal.aborted ? undefined : messageOf(error) });
  }
}
