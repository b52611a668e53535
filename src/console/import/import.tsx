import { computed, signal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { randomHex } from '../../../client/src/json.ts';
import { messageOf } from '../api/service.ts';
import type { CategoryChoice } from '../categories/category-choice.ts';
import { assignTo, useAction, useUnmounted } from '../parts/action.ts';
import { Fault, Field, SelectField } from '../parts/controls.tsx';
import { texts } from '../texts/import.ts';
import { digestOf, type ReadFile, readFile, type Table } from './import-file.ts';
import type { ImportPlan } from './import-plan.ts';
import { Prepare } from './import-prepare.tsx';
import { Progress, type ShownImport } from './import-progress.tsx';
import { type ImportProgress, noProgress, runImport } from './import-run.ts';

// An import continues while other screens are shown. Its state is therefore kept outside the screen.
const file = signal<ReadFile | undefined>(undefined);
const tableIndex = signal(0);
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
  tableIndex.value = 0;
  shown.value = undefined;
}

/** The rows of another sheet of the same file are other animals. */
async function digestOfTable({ digest, isWorkbook }: ReadFile, { name }: Table): Promise<string> {
  return isWorkbook ? await digestOf(new TextEncoder().encode(`${digest} ${name}`)) : digest;
}

async function start(
  plan: ImportPlan,
  tableDigest: string | Promise<string>,
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
    const fileDigest = await tableDigest;
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
  const table = chosen?.tables[tableIndex.value];
  return (
    <div class="sheet">
      <Fault message={shown.value?.fault} />
      {chosen === undefined || table === undefined ? (
        <ChooseFile onFile={assignTo(file)} />
      ) : shown.value === undefined ? (
        <>
          <SheetField tables={chosen.tables} />
          <Prepare
            key={tableIndex.value}
            file={chosen}
            table={table}
            onBack={endImport}
            onStart={(plan, category) => void start(plan, digestOfTable(chosen, table), category)}
          />
        </>
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

/** Asks which sheet of a workbook has the animals. */
function SheetField({ tables }: Pick<ReadFile, 'tables'>) {
  if (tables.length === 1) return null;
  return (
    <SelectField
      label={texts.sheet}
      value={String(tableIndex.value)}
      options={tables.map(({ name }, index) => [String(index), name] as const)}
      onSelect={(value) => {
        tableIndex.value = Number(value);
      }}
    />
  );
}

function ChooseFile({ onFile }: { readonly onFile: (file: ReadFile) => void }) {
  const chosen = useRef<{ readonly file: File; readonly replaced: AbortController } | undefined>(
    undefined,
  );
  const unmounted = useUnmounted();
  const read = useAction(async () => {
    while (chosen.current !== undefined && !unmounted.aborted) {
      const { file: current, replaced } = chosen.current;
      const ended = AbortSignal.any([unmounted, replaced.signal]);
      try {
        return onFile(await readFile(current, ended));
      } catch (error) {
        if (!ended.aborted) throw error;
      }
    }
  });
  const take = ([first]: Iterable<File>) => {
    chosen.current?.replaced.abort();
    chosen.current = first && { file: first, replaced: new AbortController() };
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
            accept=".xlsx,.xlsm,.csv,.tsv,.txt,text/csv"
            // Otherwise, choosing the same file again after a correction would change nothing.
            onClick={(event) => {
              event.currentTarget.value = '';
            }}
            onChange={(event) => take(event.currentTarget.files ?? [])}
          />
        )}
      </Field>
      <Fault message={read.fault} />
    </div>
  );
}
