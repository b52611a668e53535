import type { Stops } from '../../api/retry.ts';
import { messageOf } from '../../api/service.ts';
import { currentApi } from '../../api/session.ts';
import { workTexts as texts } from '../../texts/import.ts';
import type { ImportSource } from '../choose-file.tsx';
import type { ImportPlan } from '../import-plan.ts';
import { findUnrecorded, forgetDeleted } from './check-record.ts';
import { nameOfSource } from './import-keys.ts';
import { type ImportRecord, openRecord, withRecord } from './import-record.ts';
import { type ImportResults, runImport } from './import-run.ts';
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
import { type UndoResults, type UndoScope, undoImport } from './import-undo.ts';

/** Resolves when the last work has ended, also its last request and record. */
let lastWork: Promise<void> = Promise.resolve();

/** Shows a table of a file, after the record of its earlier imports was read. */
export async function chooseTable(source: ImportSource): Promise<void> {
  endImport();
  const { signal: ended } = currentEnds().end;
  chosenFile.value = { source };
  try {
    const record = await openRecord(nameOfSource(source));
    const sessionApi = currentApi();
    await findUnrecorded(record, sessionApi, ended);
    await forgetDeleted(record, sessionApi, ended);
    const imported = new Map([...record.rows].map(([index, { id }]) => [index, id]));
    if (!ended.aborted) chosenFile.value = { source, record, imported };
  } catch (error) {
    if (!ended.aborted) chosenFile.value = { source, fault: messageOf(error) };
  }
}

/** Starts an import, or continues with the rows that have no result. */
export async function startImport(
  plan: ImportPlan,
  results: ImportResults = { rows: new Map(), unanswered: new Set(), found: new Map() },
) {
  const { source, record } = chosenFile.peek() ?? {};
  if (source === undefined || record === undefined) return;
  const sourceName = nameOfSource(source);
  shownImport.value = { plan, results };
  const isFree = await run(record, (stops, show) => {
    const onSearch = (...search: readonly [number, number]) => show({ isWaiting: false, search });
    const onProgress = (isWaiting: boolean) => show({ isWaiting, search: undefined });
    return runImport({ plan, sourceName, record, results, onProgress, onSearch, ...stops });
  });
  if (!isFree && results.rows.size === 0) shownImport.value = undefined;
  else isPrepared.value = false;
}

/** Undoes one run of an import or, without a scope, all imports of the chosen table. Continues if there are results. */
export async function startUndo(
  scope?: UndoScope,
  results: UndoResults = { rows: new Map(), categoryCount: 0 },
) {
  const record = chosenFile.peek()?.record;
  if (record === undefined) return;
  shownUndo.value = { scope, results };
  const isFree = await run(record, (stops, show) => {
    const onProgress = (isWaiting: boolean) => show({ isWaiting });
    return undoImport({ record, scope, results, onProgress, ...stops });
  });
  if (!isFree && results.rows.size === 0) shownUndo.value = undefined;
}

/** Returns false if another tab works on the same table, so that nothing was done. */
async function run(
  record: ImportRecord,
  act: (stops: Stops, show: (change: Partial<Work>) => void) => Promise<void>,
): Promise<boolean> {
  const own = renewEnds();
  const show = (change: Partial<Work>) => {
    if (currentEnds() === own) work.value = { ...work.peek(), ...change };
  };
  const { state: stateBefore } = work.peek();
  show({ state: 'running', isWaiting: false, search: undefined, fault: undefined });
  const before = lastWork;
  let resolve = () => {};
  lastWork = new Promise((resolveWork) => {
    resolve = resolveWork;
  });
  try {
    // Otherwise the end of the last one in this tab, which has the lock until then, would look like another tab.
    await before;
    const { stop, end } = own;
    const isFree = await withRecord(record, () =>
      act({ stop: stop.signal, signal: end.signal }, show),
    );
    show(isFree ? { state: 'done' } : { state: stateBefore, fault: texts.otherTab });
    return isFree;
  } catch (error) {
    show({ state: 'stopped', fault: own.stop.signal.aborted ? undefined : messageOf(error) });
    return true;
  } finally {
    resolve();
  }
}
