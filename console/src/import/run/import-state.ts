import { computed, signal } from '@preact/signals';
import { askBeforeUnload } from '../../loading/ask-before-unload.ts';
import type { ImportSource } from '../choose-file.tsx';
import type { ImportPlan } from '../import-plan.ts';
import type { ImportRecord } from './import-record.ts';
import type { ImportResults } from './import-run.ts';
import type { UndoResults, UndoScope } from './import-undo.ts';

// The state of an import, without its code: the page around the screens knows whether one runs, and a page loads the screen of imports
// only when it is opened.

/** An import or its Undo, which the user can stop and continue. */
export interface Work {
  readonly state: 'running' | 'stopping' | 'stopped' | 'done';
  /** The server does not answer, and requests are retried. */
  readonly isWaiting: boolean;
  /** The progress of a search of the catalogue. */
  readonly search?: readonly [doneCount: number, totalCount: number] | undefined;
  readonly fault: string | undefined;
}

export interface ShownImport {
  readonly plan: ImportPlan;
  readonly results: ImportResults;
}

export interface ShownUndo {
  readonly scope: UndoScope;
  readonly results: UndoResults;
}

interface ChosenFile {
  readonly source: ImportSource;
  /** Of earlier imports of the table, when it was chosen. Undefined until it was read. */
  readonly record?: ImportRecord;
  /** Why it could not be read. */
  readonly fault?: string;
  /** What began last. */
  readonly shown?: ShownImport | ShownUndo;
}

// An import continues while other screens are shown. Its state is therefore kept outside the screens.
export const chosenFile = signal<ChosenFile | undefined>(undefined);

/** Changes with each report, because results are added to what is shown. */
export const work = signal<Work>({ state: 'done', isWaiting: false, fault: undefined });

/** What ends the work: `stop` after the requests that run, `end` at once. */
let ends = newEnds();

function newEnds() {
  return { stop: new AbortController(), end: new AbortController() };
}

/** Those of the import that is shown, or of the one that begins now. */
export const currentEnds = () => ends;

export function renewEnds() {
  ends = newEnds();
  return ends;
}

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
  renewEnds();
  work.value = { state: 'done', isWaiting: false, fault: undefined };
  chosenFile.value = undefined;
  isPrepared.value = false;
}

export function stopImport(): void {
  ends.stop.abort();
  work.value = { ...work.peek(), state: 'stopping' };
}
