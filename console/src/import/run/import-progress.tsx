import { formatCsvLine, localSeparator, plainCell } from '../../files/csv.ts';
import { groupBy } from '../../files/group-by.ts';
import { saveCsvFile } from '../../files/save-file.ts';
import { Button } from '../../parts/controls.tsx';
import { prepareTexts, progressTexts as texts } from '../../texts/import.ts';
import type { ImportSource } from '../choose-file.tsx';
import type { ImportPlan, RowFault } from '../import-plan.ts';
import { reportColumns, withoutReport } from '../prepare/headings.ts';
import type { ImportRecord } from './import-record.ts';
import type { ImportResults } from './import-run.ts';
import { isImporting, type ShownImport, work } from './import-state.ts';
import { startImport, startUndo } from './import-work.ts';
import { FirstRows, WorkProgress } from './work-progress.tsx';

/** Offers to undo all earlier imports of the file. */
export function EarlierImport({ record }: { readonly record: ImportRecord }) {
  const { rows } = record;
  if (rows.size === 0) return null;
  const undo = () => startUndo({ rows: [...rows.keys()], categoryIds: undefined });
  return (
    <p class="question">
      {texts.importedBefore(rows.size)}
      {texts.undoFirst}
      <Button onClick={() => void undo()}>{texts.undoEarlier(rows.size)}</Button>
    </p>
  );
}

/** The progress of an import, and at its end the rows that were left out. */
export function ImportProgress(props: ShownImport & { readonly source: ImportSource }) {
  const { source, plan, results } = props;
  const { search } = work.value;
  const isRunning = isImporting.value;
  const faults = isRunning ? [] : findFaulty(plan, results);
  const added = [...results.rows].flatMap(([index, result]) => (result === 'added' ? [index] : []));
  const undo = () => {
    const rows = [...new Set([...added, ...results.unanswered])];
    return startUndo({ rows, categoryIds: results.categoryIds });
  };
  const progress =
    search === undefined
      ? texts.progress(results.rows.size, plan.rows.length)
      : texts.searching(...search);
  return (
    <WorkProgress
      titles={texts}
      label={texts.doneRows}
      doneCount={results.rows.size}
      totalCount={plan.rows.length}
      text={isRunning ? progress : describeResult(plan, results, faults.length)}
      buttons={
        <>
          {added.length > 0 && (
            <Button onClick={() => void undo()}>{texts.undo(added.length)}</Button>
          )}
          {faults.length > 0 && (
            <Button onClick={() => saveFaulty(source, plan, faults)}>{texts.saveLeftOut}</Button>
          )}
        </>
      }
      onContinue={() => void startImport(plan, results)}
    >
      <FirstRows
        title={texts.leftOut(faults.length)}
        columns={[
          prepareTexts.line,
          prepareTexts.columnHeading,
          prepareTexts.value,
          prepareTexts.reason,
        ]}
        rows={faults.map(({ line, column, value, reason }) => [
          line,
          column,
          value === '' ? <em>{prepareTexts.nothing}</em> : value.slice(0, 64),
          reason,
        ])}
      />
      {faults.length > 0 && <p>{texts.leftOutHint}</p>}
    </WorkProgress>
  );
}

function describeResult(plan: ImportPlan, results: ImportResults, leftOut: number): string {
  const { skipped, faults, totals, rows } = plan;
  const found = groupBy(results.rows.values(), (result) => result);
  const countOf = (wanted: 'added' | 'changed' | 'there') => found.get(wanted)?.length ?? 0;
  const thereCount = skipped.filter(({ why }) => why !== 'repeated').length;
  const chosenCount = faults.filter(({ isChosen }) => isChosen).length;
  return texts.counts({
    added: countOf('added'),
    changed: countOf('changed'),
    there: countOf('there') + thereCount,
    leftOut,
    chosen: skipped.length - thereCount + chosenCount,
    totals: totals.length,
    remaining: rows.length - results.rows.size,
  });
}

/** The rows that could not be added, with their reasons. Those that the user left out are right. */
function findFaulty(plan: ImportPlan, results: ImportResults): RowFault[] {
  const failed = [...results.rows.values()].filter((result) => typeof result !== 'string');
  const all = [...plan.faults.filter(({ isChosen }) => !isChosen), ...failed];
  return all.sort((one, two) => one.index - two.index);
}

/** Saves the rows with names of columns and the separator of the file, so that they can be corrected and imported. */
function saveFaulty(
  { file, table }: ImportSource,
  plan: ImportPlan,
  faults: readonly RowFault[],
): void {
  const { rows, separator = localSeparator() } = table;
  const header = plan.columnNames;
  // The text of surplus cells is a reason itself, so it is kept.
  const keptOf = (cells: readonly string[]) =>
    cells.length > header.length ? cells : withoutReport(cells, header);
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
