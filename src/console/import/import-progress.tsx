import { saveFile } from '../animals/export.ts';
import { Button } from '../parts/parts.tsx';
import { addressOf } from '../parts/url-state.ts';
import { formatCsvLine, localSeparator, plainCell } from './csv.ts';
import { FaultList } from './import-faults.tsx';
import type { ReadFile } from './import-file.ts';
import type { ImportPlan } from './import-plan.ts';
import type { ImportProgress } from './import-run.ts';

const toldColumns = ['line', 'reason'];

/** How far an import is, and at its end what was left out. */
export function Progress(props: {
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

  /** With names of columns, and in the form of the file, so that it can be mended and imported. */
  function saveFaulty(): void {
    const { rows, separator = localSeparator() } = file.csv;
    const header = plan?.columnNames ?? [];
    // Of a file that was saved here before, what was told then is not told again.
    const isToldBefore = header.slice(-toldColumns.length).join() === toldColumns.join();
    const keptOf = (cells: readonly string[]) =>
      isToldBefore && cells.length <= header.length
        ? cells.slice(0, header.length - toldColumns.length)
        : cells;
    const left = [
      { cells: keptOf(header), told: toldColumns },
      ...faults.map(({ index, line, reason }) => ({
        cells: keptOf(rows[index]?.cells ?? []),
        told: [String(line), reason],
      })),
    ];
    const width = left.reduce((most, { cells }) => Math.max(most, cells.length), 0);
    const lines = left.map(({ cells, told }) => {
      const kept = Array.from({ length: width }, (_none, index) => plainCell(cells[index] ?? ''));
      return formatCsvLine([...kept, ...told], separator);
    });
    saveFile(`left-out-${file.name.replace(/^(?:left-out-)+/, '')}`, ['\ufeff', ...lines]);
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
