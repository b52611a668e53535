import { computed, signal } from '@preact/signals';
import type { Stops } from '../../api/retry.ts';
import { messageOf } from '../../api/service.ts';
import { currentApi } from '../../api/session.ts';
import { askBeforeUnload } from '../../parts/ask-before-unload.ts';
import { workTexts as texts } from '../../texts/import.ts';
import type { ImportSource } from '../choose-file.tsx';
import type { ImportPlan } from '../import-plan.ts';
import { findUnrecorded, forgetDeleted } from './check-record.ts';
import { nameOfSource } from './import-keys.ts';
import { type ImportRecord, openRecord, withRecord } from './import-record.ts';
import { type ImportResults, runImport } from './import-run.ts';
import { type UndoResults, type UndoScope, undoImport } from './import-undo.ts';

/** An import or its Undo, which the user can stop and continue. */
interface Work {
  readonly state: 'running' | 'stopping' | 'stopped' | 'done';
  /** The server does not answer, and requests are retried. */
  readonly isWaiting: boolean;
  /** The progress of a search of the catalogue. */
  readonly search?: readonly [doneCount: number, totalCount: number] | undefined;
  readonly fault: string | undefined;
}

interface ChosenFile {
  readonly source: ImportSource;
  /** Of earlier imports of the table. Undefined until it was read. */
  readonly record?: ImportRecord;
  /** The rows of the record with their animals, when the table was chosen. */
  readonly imported?: ReadonlyMap<number, bigint>;
  /** Why it could not be read. */
  readonly fault?: string;
}

// An import continues while other screens are shown. Its state is therefore kept outside the screens.
export const chosenFile = signal<ChosenFile | undefined>(undefined);
export const shownImport = signal<
  { readonly plan: ImportPlan; readonly results: ImportResults } | undefined
>(undefined);
export const shownUndo = signal<
  { readonly scope: UndoScope | undefined; readonly results: UndoResults } | undefined
>(undefined);

/** Changes with each report, because results are added to what is shown. */
export const work = signal<Work>({ state: 'done', isWaiting: false, fault: undefined });

/** What ends the work: `stop` after the requests that run, `end` at once. */
let ends = { stop: new AbortController(), end: new AbortController() };

/** Resolves when the last work has ended, also its last request and record. */
let lastWork: Promise<void> = Promise.resolve();

/** Whether an import runs or is undone, on any screen. */
export const isImporting = computed(
  () => work.value.state === 'running' || work.value.state === 'stopping',
);

/** Whether the user has answered questions about the chosen file, and the import has not begun. */
export const isPrepared = signal(false);

askBeforeUnload(computed(() => isImporting.value || isPrepared.value));

/** Ends the import and forgets its file, before another session or workspace is shown. */
export function endImport(): void {
  ends.stop.abort();
  ends.end.abort();
  ends = { stop: new AbortController(), end: new AbortController() };
  work.value = { state: 'done', isWaiting: false, fault: undefined };
  chosenFile.value = undefined;
  shownImport.value = undefined;
  shownUndo.value = undefined;
  isPrepared.value = false;
}

export function stopImport(): void {
  ends.stop.abort();
  work.value = { ...work.peek(), state: 'stopping' };
}

/** Shows a table of a file, after the record of its earlier imports was read. */
export async function chooseTable(source: ImportSource): Promise<void> {
  endImport();
  const { signal: ended } = ends.end;
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
  const own = { stop: new AbortController(), end: new AbortController() };
  ends = own;
  const show = (change: Partial<Work>) => {
    if (ends === own) work.value = { ...work.peek(), ...change };
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
