import { computed, signal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { randomHex } from '../../../client/src/json.ts';
import { messageOf } from '../api/api.ts';
import type { CategoryChoice } from '../categories/category-picker.tsx';
import { useAction } from '../parts/action.ts';
import { Fault, Field } from '../parts/parts.tsx';
import { type ReadFile, readFile } from './import-file.ts';
import type { ImportPlan } from './import-plan.ts';
import { Prepare } from './import-prepare.tsx';
import { Progress } from './import-progress.tsx';
import { type ImportProgress, runImport } from './import-run.ts';

// It goes on while other screens are looked at, and is found again here.
const file = signal<ReadFile | undefined>(undefined);
const plan = signal<ImportPlan | undefined>(undefined);
const progress = signal<ImportProgress | undefined>(undefined);
const ended = signal<'done' | 'stopped' | undefined>(undefined);
const fault = signal<string | undefined>(undefined);
let running: AbortController | undefined;
let categoryOfAll: CategoryChoice = { kind: 'known', text: '0' };

/** Whether one runs, whatever screen is shown. */
export const isImporting = computed(
  () => progress.value !== undefined && ended.value === undefined,
);

/** Stops what runs, and forgets the file: another session or workspace is shown. */
export function endImport(): void {
  running?.abort();
  file.value = undefined;
  progress.value = undefined;
  ended.value = undefined;
  fault.value = undefined;
}

async function start(chosen: ImportPlan, digest: string, category: CategoryChoice): Promise<void> {
  const own = new AbortController();
  running = own;
  plan.value = chosen;
  categoryOfAll = category;
  ended.value = undefined;
  progress.value = { doneCount: 0, addedCount: 0, faults: [], missing: [], isWaiting: false };
  fault.value = undefined;
  const isCurrent = () => running === own && file.peek() !== undefined;
  const onProgress = (next: ImportProgress) => {
    if (isCurrent()) progress.value = next;
  };
  // Who closes the tab in the middle is asked first.
  const ask = (event: BeforeUnloadEvent) => event.preventDefault();
  addEventListener('beforeunload', ask);
  try {
    await runImport(chosen, digest, category, onProgress, own.signal);
    if (isCurrent()) ended.value = own.signal.aborted ? 'stopped' : 'done';
  } catch (error) {
    if (!isCurrent()) return;
    if (!own.signal.aborted) fault.value = messageOf(error);
    ended.value = 'stopped';
  } finally {
    removeEventListener('beforeunload', ask);
  }
}

export function Import() {
  return (
    <div class="sheet">
      <Fault message={fault.value} />
      {file.value === undefined ? (
        <ChooseFile onFile={(read) => (file.value = read)} />
      ) : progress.value === undefined ? (
        <Prepare
          file={file.value}
          onBack={endImport}
          onStart={(chosen, category) => void start(chosen, file.value?.digest ?? '', category)}
        />
      ) : (
        <Progress
          file={file.value}
          plan={plan.value}
          progress={progress.value}
          ended={ended.value}
          onStop={() => running?.abort()}
          onAgain={endImport}
          onMissing={(missing) =>
            // Under keys of their own: what was done under the old ones is not done again.
            void start(missing, randomHex(), categoryOfAll)
          }
        />
      )}
    </div>
  );
}

function ChooseFile({ onFile }: { readonly onFile: (file: ReadFile) => void }) {
  const chosen = useRef<File | undefined>(undefined);
  const read = useAction(async () => {
    if (chosen.current !== undefined) onFile(await readFile(chosen.current));
  });
  const take = (files: FileList | null | undefined) => {
    chosen.current = files?.[0];
    void read.run();
  };
  return (
    <div class="drop">
      <h2>Import animals from a spreadsheet</h2>
      <p>
        Save the spreadsheet as CSV, with a column for the names of the animals. Columns for
        category and status are welcome. You see what will be added before anything is.
      </p>
      <Field label="CSV file">
        {(attributes) => (
          <input
            {...attributes}
            type="file"
            accept=".csv,.tsv,.txt,text/csv"
            disabled={read.isRunning}
            onChange={(event) => take(event.currentTarget.files)}
          />
        )}
      </Field>
      <Fault message={read.fault} />
    </div>
  );
}
