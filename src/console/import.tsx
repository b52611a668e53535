import { signal, useSignal } from '@preact/signals';
import { useMemo, useRef } from 'preact/hooks';
import { randomHex } from '../../client/src/json.ts';
import { categories, categoriesAreComplete } from './categories-state.ts';
import {
  type CategoryChoice,
  CategoryPicker,
  categoryFault,
  chooseCategory,
} from './category-picker.tsx';
import { type Csv, formatCsvLine, parseCsv, plainCell } from './csv.ts';
import { exportedColumns, saveFile } from './export.ts';
import {
  guessMapping,
  type ImportPlan,
  type Mapping,
  planImport,
  type RowFault,
} from './import-plan.ts';
import { digestOf, type ImportProgress, runImport } from './import-run.ts';
import { Button, Fault, Field, useAction } from './parts.tsx';
import { messageOf } from './store.ts';
import { addressOf } from './url-state.ts';

const fileBytesMax = 20 * 2 ** 20;
const previewRows = 50;
const listedFaultsMax = 1000;

interface ReadFile {
  readonly name: string;
  readonly digest: string;
  readonly csv: Csv;
  readonly isUtf8: boolean;
}

async function readFile(file: File): Promise<ReadFile> {
  if (file.size > fileBytesMax) throw new Error('The file is larger than 20 MB: split it.');
  const bytes = new Uint8Array(await file.arrayBuffer());
  if (bytes[0] === 0x50 && bytes[1] === 0x4b) {
    throw new Error(
      'This is a workbook, and no CSV file. In the spreadsheet, choose “Save as” and CSV.',
    );
  }
  const decoded = decode(bytes);
  const csv = parseCsv(decoded.text);
  if (csv.rows.length === 0) throw new Error('The file has no rows.');
  return { name: file.name, digest: await digestOf(bytes), csv, isUtf8: decoded.isUtf8 };
}

/** Spreadsheets on Windows often write their old character set. */
function decode(bytes: Uint8Array<ArrayBuffer>): { text: string; isUtf8: boolean } {
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes), isUtf8: true };
  } catch {
    return { text: new TextDecoder('windows-1252').decode(bytes), isUtf8: false };
  }
}

// It goes on while other screens are looked at, and is found again here.
const file = signal<ReadFile | undefined>(undefined);
const plan = signal<ImportPlan | undefined>(undefined);
const progress = signal<ImportProgress | undefined>(undefined);
const ended = signal<'done' | 'stopped' | undefined>(undefined);
const fault = signal<string | undefined>(undefined);
let running: AbortController | undefined;
let categoryOfAll: CategoryChoice = { kind: 'known', text: '0' };

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
        category and status are welcome. You see every row before anything is added.
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

function Prepare(props: {
  readonly file: ReadFile;
  readonly onBack: () => void;
  readonly onStart: (plan: ImportPlan, category: CategoryChoice) => void;
}) {
  const { csv, name, isUtf8 } = props.file;
  const mapping = useSignal<Mapping>(guessMapping(csv));
  const category = useSignal<CategoryChoice>(chooseCategory(undefined));
  const showsFaults = useSignal(false);
  const idOfName = useMemo(() => {
    const ids = new Map(
      categories.value.map((known) => [known.name.trim().toLowerCase(), known.id]),
    );
    const others = categoriesAreComplete.value ? undefined : 'unknown';
    return (text: string) => ids.get(text.toLowerCase()) ?? others;
  }, [categories.value, categoriesAreComplete.value]);
  const plan = useMemo(
    () => planImport(csv, mapping.value, idOfName),
    [csv, mapping.value, idOfName],
  );
  const needsCategory = mapping.value.category === undefined;
  const missing =
    mapping.value.name === undefined
      ? 'Say which column holds the names.'
      : needsCategory
        ? categoryFault(category.value)
        : undefined;
  const { rows, faults, newCategories } = plan;
  const leftOut = faults.length === 0 ? '' : `, leave out ${faults.length}`;
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        showsFaults.value = true;
        if (missing === undefined && rows.length > 0) props.onStart(plan, category.value);
      }}
    >
      <h2>{name}</h2>
      {!isUtf8 && (
        <p class="hint">
          The file is not in UTF-8, so it was read as Windows-1252. Look whether the letters of the
          names are right.
        </p>
      )}
      <MappingFields
        csv={csv}
        mapping={mapping.value}
        onMapping={(next) => {
          mapping.value = next;
        }}
      />
      {needsCategory && (
        <CategoryPicker
          choice={category.value}
          fault={showsFaults.value ? categoryFault(category.value) : undefined}
          onChoice={(next) => {
            category.value = next;
          }}
        />
      )}
      {isExport(csv) && (
        <p class="question">
          This looks like a file that was exported here. To import it adds each animal a second
          time.
        </p>
      )}
      {newCategories.length > 0 && (
        <p class="hint">
          {newCategories.length === 1
            ? 'One new category is made'
            : `${newCategories.length} new categories are made`}
          : {newCategories.slice(0, 10).join(', ')}
          {newCategories.length > 10 ? ', …' : ''}
        </p>
      )}
      <FaultList faults={faults} title={`${faults.length} rows cannot be added`} />
      {mapping.value.name !== undefined && <Preview plan={plan} needsCategory={needsCategory} />}
      <Fault
        message={showsFaults.value || mapping.value.name === undefined ? missing : undefined}
      />
      <footer>
        <Button onClick={props.onBack}>Choose another file</Button>
        <Button
          kind="main"
          type="submit"
          disabled={rows.length === 0 || mapping.value.name === undefined}
        >
          {rows.length === 0 ? 'Nothing to add' : `Add ${rows.length}${leftOut}`}
        </Button>
      </footer>
    </form>
  );
}

function isExport({ rows }: Csv): boolean {
  return rows[0]?.cells.join() === exportedColumns.join();
}

function MappingFields(props: {
  readonly csv: Csv;
  readonly mapping: Mapping;
  readonly onMapping: (mapping: Mapping) => void;
}) {
  const { csv, mapping, onMapping } = props;
  const first = csv.rows[0]?.cells ?? [];
  const columnCount = Math.max(...csv.rows.slice(0, 100).map(({ cells }) => cells.length));
  const titleOf = (index: number) =>
    (mapping.hasHeader && first[index]?.trim()) || `Column ${index + 1}`;
  const fields = [
    ['name', 'Name', undefined],
    ['category', 'Category', 'One category for all'],
    ['status', 'Status', 'All are available'],
  ] as const;
  return (
    <div class="mapping">
      {fields.map(([field, label, none]) => (
        <Field key={field} label={`${label} is in`}>
          {(attributes) => (
            <select
              {...attributes}
              value={mapping[field] ?? ''}
              onChange={({ currentTarget: { value } }) =>
                onMapping({ ...mapping, [field]: value === '' ? undefined : Number(value) })
              }
            >
              {(none !== undefined || mapping[field] === undefined) && (
                <option value="">{none ?? 'Choose a column'}</option>
              )}
              {Array.from({ length: columnCount }, (_none, index) => (
                <option key={index} value={index}>
                  {titleOf(index)}
                </option>
              ))}
            </select>
          )}
        </Field>
      ))}
      <label class="check">
        <input
          type="checkbox"
          checked={mapping.hasHeader}
          onChange={({ currentTarget: { checked } }) =>
            onMapping({ ...mapping, hasHeader: checked })
          }
        />
        The first row holds the names of the columns
      </label>
    </div>
  );
}

function Preview({
  plan,
  needsCategory,
}: {
  readonly plan: ImportPlan;
  readonly needsCategory: boolean;
}) {
  const names = new Map(categories.value.map(({ id, name }) => [id, name]));
  const shown = plan.rows.slice(0, previewRows);
  if (shown.length === 0) return null;
  return (
    <section class="preview" aria-label="What will be added" tabIndex={0}>
      <table>
        <caption>
          {shown.length < plan.rows.length
            ? `The first ${shown.length} of ${plan.rows.length} animals`
            : `${shown.length} animals`}
        </caption>
        <thead>
          <tr>
            <th scope="col">Line</th>
            <th scope="col">Name</th>
            {!needsCategory && <th scope="col">Category</th>}
            <th scope="col">Status</th>
          </tr>
        </thead>
        <tbody>
          {shown.map(({ line, index, name, category, status }) => (
            <tr key={index}>
              <td class="number">{line}</td>
              <td>{name}</td>
              {!needsCategory && (
                <td>
                  {category === undefined
                    ? ''
                    : 'id' in category
                      ? (names.get(category.id) ?? String(category.id))
                      : `${category.newName} (new)`}
                </td>
              )}
              <td>{status}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function FaultList({
  faults,
  title,
}: {
  readonly faults: readonly RowFault[];
  readonly title: string;
}) {
  if (faults.length === 0) return null;
  return (
    <section class="preview faults" aria-label={title} tabIndex={0}>
      <table>
        <caption>{faults.length === 1 ? title.replace('rows', 'row') : title}</caption>
        <thead>
          <tr>
            <th scope="col">Line</th>
            <th scope="col">Column</th>
            <th scope="col">Value</th>
            <th scope="col">Reason</th>
          </tr>
        </thead>
        <tbody>
          {faults.slice(0, listedFaultsMax).map(({ index, line, column, value, reason }) => (
            <tr key={index}>
              <td class="number">{line}</td>
              <td>{column}</td>
              <td>{value === '' ? <em>nothing</em> : value.slice(0, 64)}</td>
              <td>{reason}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {faults.length > listedFaultsMax && <p>And {faults.length - listedFaultsMax} more.</p>}
    </section>
  );
}

function Progress(props: {
  readonly file: ReadFile;
  readonly plan: ImportPlan | undefined;
  readonly progress: ImportProgress;
  readonly ended: 'done' | 'stopped' | undefined;
  readonly onStop: () => void;
  readonly onAgain: () => void;
  readonly onMissing: (plan: ImportPlan) => void;
}) {
  const { file, plan, progress, ended } = props;
  const { missing } = progress;
  const total = plan?.rows.length ?? 0;
  const faults = [...(plan?.faults ?? []), ...progress.faults].sort(
    (left, right) => left.index - right.index,
  );
  const title = faults.length === 1 ? '1 row was left out' : `${faults.length} rows were left out`;

  /** With names of columns, so that it can be mended and imported. */
  function saveFaulty(): void {
    const { rows } = file.csv;
    const width = rows.reduce((most, { cells }) => Math.max(most, cells.length), 0);
    const pad = (cells: readonly string[]) =>
      Array.from({ length: width }, (_none, index) => plainCell(cells[index] ?? ''));
    const header = plan?.columnNames ?? [];
    saveFile(`left-out-${file.name}`, [
      '\ufeff',
      formatCsvLine([...pad(header), 'line', 'reason']),
      ...faults.map(({ index, line, reason }) =>
        formatCsvLine([...pad(rows[index]?.cells ?? []), String(line), reason]),
      ),
    ]);
  }

  return (
    <>
      <h2>
        {ended === undefined
          ? 'Adding…'
          : ended === 'done'
            ? 'The import is done'
            : 'The import was stopped'}
      </h2>
      <progress
        aria-label="Rows that are done"
        value={progress.doneCount}
        max={Math.max(1, total)}
      />
      <p role="status">
        {progress.isWaiting && ended === undefined
          ? 'The server does not answer, or asks for patience. The import goes on by itself.'
          : `${progress.addedCount} of ${total} animals are in the catalogue.`}
      </p>
      {ended === 'stopped' && (
        <p>
          To go on, choose the same file again within a day: what is in the catalogue is not added
          twice.
        </p>
      )}
      {ended !== undefined && <FaultList faults={faults} title={title} />}
      {ended !== undefined && missing.length > 0 && plan !== undefined && (
        <p class="question">
          {missing.length === 1
            ? 'One of these was added from this file before, and is deleted since.'
            : `${missing.length} of these were added from this file before, and are deleted since.`}{' '}
          <Button onClick={() => props.onMissing({ ...plan, rows: missing, faults: [] })}>
            Add {missing.length} again
          </Button>
        </p>
      )}
      {ended !== undefined && faults.length > 0 && (
        <p>
          To add these as well, save them, mend them, and import that file. The whole file, once it
          is changed, would add the others a second time.
        </p>
      )}
      <footer>
        {ended === undefined ? (
          <Button onClick={props.onStop}>Stop</Button>
        ) : (
          <>
            {faults.length > 0 && (
              <Button onClick={saveFaulty}>Save the rows that were left out</Button>
            )}
            <Button onClick={props.onAgain}>Import another file</Button>
            <a class="button main" href={addressOf('animals')}>
              Show the animals
            </a>
          </>
        )}
      </footer>
    </>
  );
}
