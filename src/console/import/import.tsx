import { computed, signal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { randomHex } from '../../../client/src/json.ts';
import { messageOf } from '../api/api.ts';
import type { CategoryChoice } from '../categories/category-choice.ts';
import { assignTo, useAction } from '../parts/action.ts';
import { Fault, Field } from '../parts/controls.tsx';
import { texts } from '../texts/import.ts';
import { type ReadFile, readFile } from './import-file.ts';
import type { ImportPlan } from './import-plan.ts';
import { Prepare } from './import-prepare.tsx';
import { Progress } from './import-progress.tsx';
import { type ImportProgress, noProgress, runImport } from './import-run.ts';

// An import continues while other screens are shown. Its state is therefore kept outside the screen.
const file = signal<ReadFile | undefined>(undefined);
const plan = signal<ImportPlan | undefined>(undefined);
const progress = signal<ImportProgress | undefined>(undefined);
const ended = signal<'done' | 'stopped' | undefined>(undefined);
const fault = signal<string | undefined>(undefined);
let running: AbortController | undefined;
let categoryOfAll: CategoryChoice | undefined;

/** Whether an import runs, on any screen. */
export const isImporting = computed(
  () => progress.value !== undefined && ended.value === undefined,
);

/** Stops the import and forgets its file, before another session or workspace is shown. */
export function endImport(): void {
  running?.abort();
  file.value = undefined;
  progress.value = undefined;
  ended.value = undefined;
  fault.value = undefined;
}

async function start(
  chosen: ImportPlan,
  fileDigest: string,
  category: CategoryChoice | undefined,
): Promise<void> {
  const own = new AbortController();
  running = own;
  plan.value = chosen;
  categoryOfAll = category;
  ended.value = undefined;
  progress.value = noProgress;
  fault.value = undefined;
  const isCurrent = () => running === own && file.peek() !== undefined;
  const onProgress = (next: ImportProgress) => {
    if (isCurrent()) progress.value = next;
  };
  // The browser asks before the tab is closed.
  const ask = (event: BeforeUnloadEvent) => event.preventDefault();
  addEventListener('beforeunload', ask);
  try {
    const { signal } = own;
    await runImport({ plan: chosen, fileDigest, categoryOfAll: category, onProgress, signal });
    if (isCurrent()) ended.value = signal.aborted ? 'stopped' : 'done';
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
        <ChooseFile onFile={assignTo(file)} />
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
            // New keys: the server has already answered the old ones.
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
    read.run();
  };
  return (
    <div class="drop">
      <h2>{texts.title}</h2>
      <p>{texts.hint}</p>
      <Field label={texts.file}>
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
