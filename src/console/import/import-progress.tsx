import { Button } from '../parts/controls.tsx';
import { formatCsvLine, localSeparator, plainCell } from '../parts/csv.ts';
import { saveCsvFile } from '../parts/save-file.ts';
import { addressOf } from '../route.ts';
import { progressTexts as texts } from '../texts/import.ts';
import { FaultList } from './fault-list.tsx';
import type { ReadFile, Table } from './import-file.ts';
import type { ImportPlan } from './import-plan.ts';
import type { ImportProgress } from './import-run.ts';
import { reportColumns } from './prepare/headings.ts';

/** An import since its start. */
export interface ShownImport {
  readonly plan: ImportPlan;
  readonly progress: ImportProgress;
  readonly ended?: 'done' | 'stopped';
  readonly fault?: string | undefined;
}

/** The progress of an import, and at its end the rows that were left out. */
export function Progress(props: {
  readonly file: ReadFile;
  readonly table: Table;
  readonly shown: ShownImport;
  readonly onStop: () => void;
  readonly onAgain: () => void;
  readonly onMissing: (plan: ImportPlan) => void;
}) {
  const { file, table, shown } = props;
  const { plan, progress, ended } = shown;
  const { missing } = progress;
  const total = plan.rows.length;
  const faults = [...plan.faults, ...progress.faults].sort((one, two) => one.index - two.index);
  const count = faults.length;

  /** Saves the rows with names of columns and the separator of the file, so that they can be corrected and imported. */
  function saveFaulty(): void {
    const { rows, separator = localSeparator() } = table;
    const header = plan.columnNames;
    // A file that was saved here before has these columns already.
    const isSavedHere = header.slice(-reportColumns.length).join() === reportColumns.join();
    const keptOf = (cells: readonly string[]) =>
      isSavedHere && cells.length <= header.length
        ? cells.slice(0, header.length - reportColumns.length)
        : cells;
    const faultyRows = [
      { cells: keptOf(header), reportCells: reportColumns },
      ...faults.map(({ index, line, reason }) => ({
        cells: keptOf(rows[index]?.cells ?? []),
        reportCells: [String(line), reason],
      })),
    ];
    const width = faultyRows.reduce((most, { cells }) => Math.max(most, cells.length), 0);
    const lines = faultyRows.map(({ cells, reportCells }) => {
      const kept = Array.from({ length: width }, (_none, index) => plainCell(cells[index] ?? ''));
      return formatCsvLine([...kept, ...reportCells], separator);
    });
    const name = file.name.replace(/^(?:left-out-)+/, '').replace(/\.xls[xm]$/i, '.csv');
    saveCsvFile(`left-out-${name}`, lines);
  }

  return (
    <>
      <h2>{texts[ended ?? 'running']}</h2>
      <progress aria-label={texts.doneRows} value={progress.doneCount} max={Math.max(1, total)} />
      <p role="status">
        {progress.isWaiting && ended === undefined
          ? texts.waiting
          : texts.added(progress.addedCount, total)}
      </p>
      {ended === 'stopped' && <p>{texts.continueHint}</p>}
      {ended !== undefined && <FaultList faults={faults} title={texts.leftOut(count)} />}
      {ended !== undefined && missing.length > 0 && (
        <p class="question">
          {texts.missing(missing.length)}
          <Button onClick={() => props.onMissing({ ...plan, rows: missing, faults: [] })}>
            {texts.addAgain(missing.length)}
          </Button>
        </p>
      )}
      {ended !== undefined && count > 0 && <p>{texts.leftOutHint}</p>}
      <footer>
        {ended === undefined ? (
          <Button onClick={props.onStop}>{texts.stop}</Button>
        ) : (
          <>
            {count > 0 && <Button onClick={saveFaulty}>{texts.saveLeftOut}</Button>}
            <Button onClick={props.onAgain}>{texts.otherFile}</Button>
            <a class="button main" href={addressOf('animals')}>
              {texts.showAnimals}
            </a>
          </>
        )}
      </footer>
    </>
  );
}
