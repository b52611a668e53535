import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { members } from '../../animals/members.ts';
import { categoryNames } from '../../categories/categories-state.ts';
import { Button } from '../../parts/controls.tsx';
import { ShortTable } from '../../parts/display.tsx';
import { common } from '../../texts/common.ts';
import { prepareTexts as texts } from '../../texts/import.ts';
import type { ImportPlan } from '../import-plan.ts';
import type { Mapping, Rows } from './mapping.ts';
import {
  describeResult,
  type Filter,
  type ShownRow,
  type ShownRows,
  showCells,
} from './shown-rows.ts';

const pageRows = 50;

const filters: readonly Filter[] = [
  ...(['all', 'add', 'change', 'there', 'repeated', 'undecided', 'leftOut'] as const),
];

/** All rows below the headings, with the values that their animals will have, page by page. */
export function RowsTable(props: {
  readonly rows: Rows;
  readonly plan: ImportPlan;
  readonly lists: ShownRows;
  readonly columns: Mapping['columns'];
  /** Adds a row although the catalogue has its animal already, or leaves it out again. */
  readonly onAddFound: (index: number, isAdded: boolean) => void;
}) {
  const { rows, plan, lists, columns, onAddFound } = props;
  const filter = useSignal<Filter>('all');
  const page = useSignal(0);
  const section = useRef<HTMLElement>(null);
  const shownFilters = filters.filter((one) => one === 'all' || lists[one].length > 0);
  const name = shownFilters.includes(filter.value) ? filter.value : 'all';
  const list = lists[name];
  const from = Math.min(page.value, Math.floor(Math.max(0, list.length - 1) / pageRows)) * pageRows;
  const shown = list.slice(from, from + pageRows);
  const turn = (change: number) => {
    page.value = from / pageRows + change;
  };
  const addFound = (index: number, isAdded: boolean) => {
    onAddFound(index, isAdded);
    // A filter can hide the row, and with it the button that has the focus.
    setTimeout(() => {
      if (document.activeElement === document.body) section.current?.focus();
    });
  };
  return (
    <>
      <fieldset class="choices">
        <legend>{texts.filter}</legend>
        {shownFilters.map((one) => (
          <Button
            key={one}
            kind="quiet"
            aria-pressed={one === name}
            onClick={() => {
              filter.value = one;
              page.value = 0;
            }}
          >
            {texts.filterOf(texts.filters[one], lists[one].length)}
          </Button>
        ))}
      </fieldset>
      <section ref={section} class="preview" aria-label={texts.rows} tabIndex={0}>
        <ShortTable
          columns={[texts.line, ...members.map((member) => common[member.name]), texts.result]}
        >
          {shown.map((one) => (
            <tr key={one.index} class={'fault' in one ? 'is-left-out' : undefined}>
              <th scope="row" class="number">
                {one.line}
              </th>
              {showCells(one, { rows, plan, columns, names: categoryNames }).map((cell, index) => (
                <td key={members[index]?.name}>{cell.slice(0, 600)}</td>
              ))}
              <td>
                {describeResult(one)} <FoundChoice row={one} onAddFound={addFound} />
              </td>
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

/** The choice of one row whose animal the catalogue has already. */
function FoundChoice(props: {
  readonly row: ShownRow;
  readonly onAddFound: (index: number, isAdded: boolean) => void;
}) {
  const { row: one, onAddFound } = props;
  if ('fault' in one || one.row.found === undefined) return null;
  if (one.result !== 'there' && one.result !== 'add') return null;
  const isAdded = one.result === 'add';
  const text = isAdded ? texts.leaveOutFound : texts.addOneFound;
  return (
    <Button
      kind="quiet"
      label={texts.ofLine(text, one.line)}
      onClick={() => onAddFound(one.index, !isAdded)}
    >
      {text}
    </Button>
  );
}
