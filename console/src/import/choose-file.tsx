import { useSignal } from '@preact/signals';
import { useEffect, useLayoutEffect } from 'preact/hooks';
import { takeFiles } from '../files/dropped-files.ts';
import { reloadPage } from '../loading/reload.ts';
import { useAction, useUnmounted } from '../parts/action.ts';
import { Button, Fault, Field } from '../parts/controls.tsx';
import { texts } from '../texts/import.ts';
import { type ReadFile, readFile, type Table } from './import-file.ts';
import { isReaderReplaced, ReaderFailed } from './workbook-reader.ts';

/** A file, and the sheet of it that is imported. */
export interface ImportSource {
  readonly file: ReadFile;
  readonly table: Table;
}

/** Takes a file that is chosen or dropped. */
export function ChooseFile({ onChoose }: { readonly onChoose: (source: ImportSource) => void }) {
  const chosen = useSignal<File | undefined>(undefined);
  const isOver = useSignal(false);
  const take = ([first]: Iterable<File>) => {
    chosen.value = first;
  };
  const showOver = (isIt: boolean) => {
    isOver.value = isIt;
  };
  useLayoutEffect(() => takeFiles(take, showOver), []);
  const { value: file } = chosen;
  return (
    <section aria-label={texts.title} class={isOver.value ? 'drop over' : 'drop'}>
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
      {file !== undefined && <Reading key={file} file={file} onChoose={onChoose} />}
    </section>
  );
}

/** Reads a file until another one is chosen, and asks for the sheet if it has several. */
function Reading(props: {
  readonly file: File;
  readonly onChoose: (source: ImportSource) => void;
}) {
  const workbook = useSignal<ReadFile | undefined>(undefined);
  const unmounted = useUnmounted();
  const read = useAction(async () => {
    try {
      const file = await readFile(props.file, unmounted);
      unmounted.throwIfAborted();
      const [table, ...others] = file.tables;
      if (table !== undefined && others.length === 0) props.onChoose({ file, table });
      else workbook.value = file;
    } catch (error) {
      if (unmounted.aborted) return;
      if (error instanceof ReaderFailed) await reloadIfReplaced(error);
      throw error;
    }
  });
  useEffect(read.run, []);
  const { value: file } = workbook;
  return (
    <>
      {file !== undefined && (
        <fieldset class="sheets">
          <legend>{texts.chooseSheet}</legend>
          {file.tables.map((table) => (
            <Button key={table.name} onClick={() => props.onChoose({ file, table })}>
              <bdi>{table.name}</bdi> {texts.sheet(table.rows.length, table.isHidden)}
            </Button>
          ))}
        </fieldset>
      )}
      <Fault message={read.fault} />
    </>
  );
}

/** After an upgrade, the page loads itself again for the next reader. */
async function reloadIfReplaced(cause: ReaderFailed): Promise<void> {
  try {
    if (await isReaderReplaced()) await reloadPage(cause);
  } catch {
    // The message of the cause says what the user can do.
  }
}
