import { computed, signal } from '@preact/signals';
import { randomHex } from '../../../client/src/json.ts';
import { messageOf } from '../api/service.ts';
import { assignTo } from '../parts/action.ts';
import { Fault } from '../parts/controls.tsx';
import { ChooseFile, type ImportSource } from './choose-file.tsx';
import { digestOf } from './import-file.ts';
import type { ImportPlan } from './import-plan.ts';
import { Progress, type ShownImport } from './import-progress.tsx';
import { type ImportProgress, noProgress, runImport } from './import-run.ts';
import { Prepare } from './prepare/prepare.tsx';

// An import continues while other screens are shown. Its state is therefore kept outside the screen.
const source = signal<ImportSource | undefined>(undefined);
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
  source.value = undefined;
  shown.value = undefined;
}

/** The rows of another sheet of the same file are other animals. */
async function digestOfSource({ file, table }: ImportSource): Promise<string> {
  const { digest, isWorkbook } = file;
  return isWorkbook ? await digestOf(new TextEncoder().encode(`${digest} ${table.name}`)) : digest;
}

async function start(plan: ImportPlan, sourceDigest: string | Promise<string>): Promise<void> {
  const current = new AbortController();
  const { signal } = current;
  running = current;
  const begun = { plan, progress: noProgress };
  shown.value = begun;
  const show = (change: Partial<ShownImport>) => {
    if (running === current) shown.value = { ...(shown.peek() ?? begun), ...change };
  };
  const onProgress = (progress: ImportProgress) => show({ progress });
  // The browser asks before the tab is closed.
  const warnBeforeClose = (event: BeforeUnloadEvent) => event.preventDefault();
  addEventListener('beforeunload', warnBeforeClose);
  try {
    const fileDigest = await sourceDigest;
    await runImport({ plan, fileDigest, onProgress, signal });
    show({ ended: signal.aborted ? 'stopped' : 'done' });
  } catch (error) {
    show({ ended: 'stopped', fault: signal.aborted ? undefined : messageOf(error) });
  } finally {
    removeEventListener('beforeunload', warnBeforeClose);
  }
}

export function Import() {
  const { value: chosen } = source;
  return (
    <div class="sheet">
      <Fault message={shown.value?.fault} />
      {chosen === undefined ? (
        <ChooseFile onChoose={assignTo(source)} />
      ) : shown.value === undefined ? (
        <Prepare
          {...chosen}
          onBack={endImport}
          onStart={(plan) => void start(plan, digestOfSource(chosen))}
        />
      ) : (
        <Progress
          {...chosen}
          shown={shown.value}
          onStop={() => running?.abort()}
          onAgain={endImport}
          onMissing={(missing) =>
            // New keys: the server has already answered the old ones.
            void start(missing, randomHex())
          }
        />
      )}
    </div>
  );
}
