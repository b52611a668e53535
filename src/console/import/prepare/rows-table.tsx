import { useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { members, showMember } from '../../animals/members.ts';
import { categoryNames } from '../../categories/categories-state.ts';
import { Button } from '../../parts/controls.tsx';
import { ShortTable } from '../../parts/display.tsx';
import { common } from '../../texts/common.ts';
import { prepareTexts as texts } from '../../texts/import.ts';
import type { ImportPlan, PlannedRow, RowFault } from '../import-plan.ts';
import type { Mapping, Rows } from './mapping.ts';

const pageRows = 50;

type Result = keyof typeof texts.results;
type Filter = keyof typeof texts.filters;

/** A row of the file, with what the import does with it. */
type ShownRow = { readonly index: number; readonly line: number } & (
  | { readonly row: PlannedRow; readonly result: Result }
  | { readonly fault: RowFault }
);

/** All rows below the headings, with the values that their animals will have, page by page. */
export function RowsTable(props: {
  readonly rows: Rows;
  readonly plan: ImportPlan;
  readonly columns: Mapping['columns'];
}) {
  const { rows, plan, columns } = props;
  const filter = useSignal<Filter>('all');
  const page = useSignal(0);
  const lists = useMemo(() => filterRows(plan), [plan]);
  const [name, list] = lists.find(([one]) => one === filter.value) ?? lists[0];
  const from = Math.min(page.value, Math.floor(Math.max(0, list.length - 1) / pageRows)) * pageRows;
  const shown = list.slice(from, from + pageRows);
  const turn = (change: number) => {
    page.value = from / pageRows + change;
  };
  const cellsOf = (one: ShownRow): readonly string[] => {
    if ('row' in one)
      return members.map((member) => showMember(member, one.row.draft, categoryNames));
    return members.map((member) => rows[one.index]?.cells[columns.get(member.name) ?? -1] ?? '');
  };
  return (
    <>
      <fieldset class="choices">
        <legend>{texts.filter}</legend>
        {lists.map(([one, { length }]) => (
          <Button
            key={one}
            kind="quiet"
            aria-pressed={one === name}
            onClick={() => {
              filter.value = one;
              page.value = 0;
            }}
          >
            {texts.filterOf(texts.filters[one], length)}
          </Button>
        ))}
      </fieldset>
      <section class="preview" aria-label={texts.rows} tabIndex={0}>
        <ShortTable
          columns={[texts.line, ...members.map((member) => common[member.name]), texts.result]}
        >
          {shown.map((one) => (
            <tr key={one.index} class={'fault' in one ? 'is-left-out' : undefined}>
              <th scope="row" class="number">
                {one.line}
              </th>
              {cellsOf(one).map((cell, index) => (
                <td key={members[index]?.name}>{cell.slice(0, 255)}</td>
              ))}
              <td>{describe(one)}</td>
            </tr>
          ))}
        </ShortTable>
      </section>
      <div class="pages">
        <Button disabled={from === 0} onClick={() => turn(-1)}>
          {texts.previous}
        </Button>
        <p role="status">
          {texts.position(texts.filters[name], from + 1, from + shown.length, list.length)}
        </p>
        <Button disabled={from + pageRows >= list.length} onClick={() => turn(1)}>
          {texts.next}
        </Button>
      </div>
    </>
  );
}

function listRows({ rows, skipped, faults, totals }: ImportPlan): ShownRow[] {
  const found: ShownRow[] = [
    ...rows.map((row) => {
      const result = row.animalId === undefined ? 'add' : 'change';
      return { index: row.index, line: row.line, row, result } as const;
    }),
    ...skipped.map((row) => ({ index: row.index, line: row.line, row, result: row.why })),
    ...[...faults, ...totals].map((fault) => ({ index: fault.index, line: fault.line, fault })),
  ];
  return found.sort((one, two) => one.index - two.index);
}

type FilteredRows = readonly [Filter, readonly ShownRow[]];

/** The rows of each filter that shows any. */
function filterRows(plan: ImportPlan): readonly [FilteredRows, ...FilteredRows[]] {
  const all = listRows(plan);
  const having = (result: Result) => all.filter((one) => 'row' in one && one.result === result);
  const filtered: readonly FilteredRows[] = [
    ['add', having('add')],
    ['change', having('change')],
    ['there', having('there')],
    ['repeated', all.filter(({ index }) => plan.repeated.has(index))],
    ['leftOut', all.filter((one) => 'fault' in one || one.result === 'repeated')],
  ];
  return [['all', all], ...filtered.filter(([name, { length }]) => name === 'add' || length > 0)];
}

function describe(one: ShownRow): string {
  if ('row' in one) return texts.results[one.result];
  const { column, value, reason } = one.fault;
  return texts.faultOf(column, value.slice(0, 64), reason);
}
