import { computed, signal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { randomHex } from '../../../client/src/json.ts';
import { messageOf } from '../api/service.ts';
import type { CategoryChoice } from '../categories/category-choice.ts';
import { assignTo, useAction, useUnmounted } from '../parts/action.ts';
import { Fault, Field } from '../parts/controls.tsx';
import { texts } from '../texts/import.ts';
import { type ReadFile, readFile } from './import-file.ts';
import type { ImportPlan } from './import-plan.ts';
import { Prepare } from './import-prepare.tsx';
import { Progress, type ShownImport } from './import-progress.tsx';
import { type ImportProgress, noProgress, runImport } from './import-run.ts';

// An import continues while other screens are shown. Its state is therefore kept outside the screen.
const file = signal<ReadFile | undefined>(undefined);
const shown = signal<ShownImport | undefined>(undefined);
let running: AbortController | undefined;

/** Whether an import runs, on any screen. */
export const isImporting = computed(
  () => shown.value !== undefined && shown.value.ended === undefined,
);

/** Stops the import and forgets its file, before another session or workspace is shown. */
export function endImport(): void {
  running?.abort();
  running = undefined;
  file.value = undefined;
  shown.value = undefined;
}

async function start(
  plan: ImportPlan,
  fileDigest: string,
  categoryOfAll: CategoryChoice | undefined,
): Promise<void> {
  const current = new AbortController();
  const { signal } = current;
  running = current;
  const begun = { plan, categoryOfAll, progress: noProgress };
  shown.value = begun;
  const show = (change: Partial<ShownImport>) => {
    if (running === current) shown.value = { ...(shown.peek() ?? begun), ...change };
  };
  const onProgress = (progress: ImportProgress) => show({ progress });
  // The browser asks before the tab is closed.
  const warnBeforeClose = (event: BeforeUnloadEvent) => event.preventDefault();
  addEventListener('beforeunload', warnBeforeClose);
  try {
    await runImport({ plan, fileDigest, categoryOfAll, onProgress, signal });
    show({ ended: signal.aborted ? 'stopped' : 'done' });
  } catch (error) {
    show({ ended: 'stopped', fault: signal.aborted ? undefined : messageOf(error) });
  } finally {
    removeEventListener('beforeunload', warnBeforeClose);
  }
}

export function Import() {
  const { value: chosen } = file;
  const table = chosen?.tables[0];
  return (
    <div class="sheet">
      <Fault message={shown.value?.fault} />
      {chosen === undefined || table === undefined ? (
        <ChooseFile onFile={assignTo(file)} />
      ) : shown.value === undefined ? (
        <Prepare
          file={chosen}
          table={table}
          onBack={endImport}
          onStart={(plan, category) => void start(plan, chosen.digest, category)}
        />
      ) : (
        <Progress
          file={chosen}
          table={table}
          shown={shown.value}
          onStop={() => running?.abort()}
          onAgain={endImport}
          onMissing={(missing) =>
            // New keys: the server has already answered the old ones.
            void start(missing, randomHex(), shown.peek()?.categoryOfAll)
          }
        />
      )}
    </div>
  );
}

function ChooseFile({ onFile }: { readonly onFile: (file: ReadFile) => void }) {
  const chosen = useRef<File | undefined>(undefined);
  const unmounted = useUnmounted();
  const read = useAction(async () => {
    if (chosen.current === undefined) return;
    try {
      onFile(await readFile(chosen.current, unmounted));
    } catch (error) {
      // The user has left this screen.
      if (!unmounted.aborted) throw error;
    }
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
