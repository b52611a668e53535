import { computed, effect, signal } from '@preact/signals';
import { messageOf } from '../../api/service.ts';
import { currentApi } from '../../api/session.ts';
import type { ImportSource } from '../choose-file.tsx';
import type { ImportPlan } from '../import-plan.ts';
import { findUnrecorded, forgetDeleted } from './check-record.ts';
import { nameOfSource } from './import-keys.ts';
import { type ImportRecord, openRecord } from './import-record.ts';
import { type ImportResults, runImport } from './import-run.ts';
import { type UndoResults, undoImport } from './import-undo.ts';
import type { Stops } from './retry.ts';

/** An import or its Undo, which the user can stop and continue. */
interface Work {
  readonly state: 'running' | 'stopping' | 'stopped' | 'done';
  /** The server does not answer, and requests are retried. */
  readonly isWaiting: boolean;
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
export const shownUndo = signal<UndoResults | undefined>(undefined);

/** Changes with each report, because results are added to what is shown. */
export const work = signal<Work>({ state: 'done', isWaiting: false, fault: undefined });

/** What ends the work: `stop` after the requests that run, `end` at once. */
let ends = { stop: new AbortController(), end: new AbortController() };

/** Whether an import runs or is undone, on any screen. */
export const isImporting = computed(
  () => work.value.state === 'running' || work.value.state === 'stopping',
);

// The browser asks before the tab is closed.
effect(() => {
  if (!isImporting.value) return;
  const ask = (event: BeforeUnloadEvent) => event.preventDefault();
  addEventListener('beforeunload', ask);
  return () => removeEventListener('beforeunload', ask);
});

/** Ends the import and forgets its file, before another session or workspace is shown. */
export function endImport(): void {
  ends.stop.abort();
  ends.end.abort();
  ends = { stop: new AbortController(), end: new AbortController() };
  work.value = { state: 'done', isWaiting: false, fault: undefined };
  chosenFile.value = undefined;
  shownImport.value = undefined;
  shownUndo.value = undefined;
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
export async function startImport(plan: ImportPlan, results: ImportResults = new Map()) {
  const { source, record } = chosenFile.peek() ?? {};
  if (source === undefined || record === undefined) return;
  const sourceName = nameOfSource(source);
  shownImport.value = { plan, results };
  await run((stops, onProgress) =>
    runImport({ plan, sourceName, record, results, onProgress, ...stops }),
  );
}

/** Undoes the imports of the chosen table, or continues that. */
export async function startUndo(results: UndoResults = { rows: new Map(), categoryCount: 0 }) {
  const record = chosenFile.peek()?.record;
  if (record === undefined) return;
  shownUndo.value = results;
  await run((stops, onProgress) => undoImport({ record, results, onProgress, ...stops }));
}

async function run(
  act: (stops: Stops, onProgress: (isWaiting: boolean) => void) => Promise<void>,
): Promise<void> {
  const own = { stop: new AbortController(), end: new AbortController() };
  ends = own;
  const show = (change: Partial<Work>) => {
    if (ends === own) work.value = { ...work.peek(), ...change };
  };
  show({ state: 'running', isWaiting: false, fault: undefined });
  try {
    const { stop, end } = own;
    await act({ stop: stop.signal, signal: end.signal }, (isWaiting) => show({ isWaiting }));
    show({ state: 'done' });
  } catch (error) {
    show({ state: 'stopped', fault: own.stop.signal.aborted ? undefined : messageOf(error) });
  }
}
