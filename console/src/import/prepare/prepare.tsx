import { type Signal, signal, useSignal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { members } from '../../animals/members.ts';
import { useCategoryIndex } from '../../categories/categories-state.ts';
import { categoryFault } from '../../categories/category-picker.tsx';
import { Button, Fault, Form, RadioField } from '../../parts/controls.tsx';
import { prepareTexts as texts } from '../../texts/import.ts';
import type { ReadFile, Table } from '../import-file.ts';
import type { ImportPlan } from '../import-plan.ts';
import { ColumnFields } from './column-fields.tsx';
import { HeadingRow } from './heading-row.tsx';
import {
  exportedColumnsOf,
  givenMembers,
  guessMapping,
  type Mapping,
  mapHeadings,
} from './mapping.ts';
import { planImport } from './plan-import.ts';
import { CategoryNumbers, Found, Totals } from './questions.tsx';
import { type ReadRows, readRows } from './read-rows.ts';
import { RowsTable } from './rows-table.tsx';
import { listRows, type ShownRows } from './shown-rows.ts';
import { type Imported, useMatches } from './use-matches.ts';
import { CategoryWords, StatusWords } from './word-fields.tsx';
import { statusAnswer } from './words.ts';

const newNamesMax = 10;
const firstFaulty = '.faulty :is(input, select)';

/** The answers stay while other screens are shown. */
const mappings = new WeakMap<Table, Signal<Mapping>>();

function mappingOf(table: Table): Signal<Mapping> {
  const kept = mappings.get(table) ?? signal(guessMapping(table.rows));
  mappings.set(table, kept);
  return kept;
}

/** The meaning of the rows, columns and words of a file, and what the import will do, before it begins. */
export function Prepare(props: {
  readonly file: ReadFile;
  readonly table: Table;
  readonly imported?: Imported | undefined;
  readonly onAnswer: () => void;
  readonly onBack: () => void;
  readonly onStart: (plan: ImportPlan) => void;
}) {
  const { file, table, imported, onAnswer, onBack, onStart } = props;
  const { rows } = table;
  const kept = mappingOf(table);
  const mapping = kept.value;
  const onMapping = (change: Partial<Mapping>) => {
    kept.value = { ...kept.peek(), ...change };
    onAnswer();
  };
  const attempts = useSignal(0);
  const showsFaults = attempts.value > 0;
  const categories = useCategoryIndex();
  const read = useMemo(() => readRows(table, mapping, categories), [table, mapping, categories]);
  const isExport = exportedColumnsOf(rows, mapping).id !== undefined;
  const openCount = countOpen(mapping, read, isExport);
  const search = useMatches(read.rows, openCount === 0, imported);
  const plan = useMemo(
    () => planImport(read, mapping, search.matches),
    [read, mapping, search.matches],
  );
  const isRepeatedOpen = search.isDone && plan.repeatedCount > 0 && mapping.repeated === undefined;
  const isOpen = openCount > 0 || isRepeatedOpen;
  const questions = useRef<HTMLDivElement>(null);
  function answerNumbers(answer: string): void {
    const columns = new Map(mapping.columns);
    if (answer === 'yes') onMapping({ numberColumn: columns.get('category') });
    else {
      columns.delete('category');
      onMapping({ columns });
      // The question, which has the focus, is removed.
      const selects = () => questions.current?.querySelectorAll('select') ?? [];
      setTimeout(() => [...selects()].find(({ value }) => value === '')?.focus());
    }
  }
  function run(): void {
    attempts.value = isOpen ? attempts.peek() + 1 : 0;
    if (!isOpen && search.isDone && plan.rows.length > 0) onStart(plan);
    // After the fields have their faults.
    else setTimeout(() => questions.current?.querySelector<HTMLElement>(firstFaulty)?.focus());
  }
  const lists = useMemo(
    () => listRows(plan, { isSearched: search.isDone, repeated: mapping.repeated }),
    [plan, search.isDone, mapping.repeated],
  );
  const onAddFound = (indexes: readonly number[], isAdded: boolean) => {
    const addedFound = new Set(mapping.addedFound);
    for (const index of indexes) isAdded ? addedFound.add(index) : addedFound.delete(index);
    onMapping({ addedFound });
  };
  const isComplete = mapping.mode === 'update' || plan.given.length === members.length;
  const faultIf = (isFaulty: boolean) => (showsFaults && isFaulty ? texts.chooseFault : undefined);
  const fields = { rows, mapping, onMapping, showsFaults, attempts: attempts.value };
  return (
    <Form action={{ run }}>
      <FileTitle file={file} table={table} />
      <div ref={questions}>
        <HeadingRow
          rows={rows}
          chosen={mapping.headingRow}
          onSelect={(index) => onMapping(mapHeadings(rows, index))}
          fault={faultIf(mapping.headingRow === undefined)}
        />
        {mapping.headingRow !== undefined && (
          <>
            {isExport && (
              <RadioField
                label={texts.mode}
                value={mapping.mode ?? ''}
                options={[
                  ['add', texts.addAsNew],
                  ['update', texts.update],
                ]}
                fault={faultIf(mapping.mode === undefined)}
                onSelect={(mode) => onMapping({ mode: mode === 'update' ? mode : 'add' })}
              />
            )}
            <ColumnFields {...fields} />
            {read.areNumbersUnknown && (
              <CategoryNumbers
                isOpen={isNumberOpen(mapping, read)}
                fault={faultIf(isNumberOpen(mapping, read))}
                onAnswer={answerNumbers}
              />
            )}
            <CategoryWords {...fields} words={read.categoryWords} />
            <StatusWords {...fields} words={read.statusWords} />
            <Totals totals={read.totals} mapping={mapping} onMapping={onMapping} />
          </>
        )}
        {openCount === 0 && (
          <Found
            search={search}
            plan={plan}
            mapping={mapping}
            onMapping={onMapping}
            onAddFound={onAddFound}
            fault={faultIf(isRepeatedOpen)}
          />
        )}
      </div>
      <p role="status">{openCount === 0 && describeSearch(search, plan, lists)}</p>
      {isComplete && (
        <RowsTable
          rows={rows}
          plan={plan}
          lists={lists}
          columns={mapping.columns}
          onAddFound={(index, isAdded) => onAddFound([index], isAdded)}
        />
      )}
      <Fault message={showsFaults && isOpen ? texts.open(openCount || 1) : undefined} />
      <footer>
        <Button onClick={onBack}>{texts.otherFile}</Button>
        <Button
          kind="main"
          type="submit"
          disabled={!isOpen && (!search.isDone || plan.rows.length === 0)}
        >
          {isOpen || !search.isDone ? texts.add : submitText(plan, lists)}
        </Button>
      </footer>
    </Form>
  );
}

/** The questions without an answer that are asked before the catalogue is searched. */
function countOpen(mapping: Mapping, read: ReadRows, isExport: boolean): number {
  const { headingRow, mode, forAll, categoryWords } = mapping;
  if (headingRow === undefined) return 1;
  const absent = mode === 'update' ? 0 : members.length - givenMembers(mapping).length;
  const words = [
    ...read.statusWords.filter(({ key }) => statusAnswer(mapping, key) === undefined),
    ...read.categoryWords.filter(({ key }) => !categoryWords.has(key)),
  ];
  const isOfAllOpen = forAll.category !== undefined && categoryFault(forAll.category) !== undefined;
  const others = [isOfAllOpen, isExport && mode === undefined, isNumberOpen(mapping, read)];
  return absent + words.length + others.filter((isOpen) => isOpen).length;
}

function isNumberOpen({ columns, numberColumn }: Mapping, read: ReadRows): boolean {
  return read.areNumbersUnknown && numberColumn !== columns.get('category');
}

function submitText({ mode, rows }: ImportPlan, { add, change, leftOut }: ShownRows): string {
  if (rows.length === 0) return mode === 'update' ? texts.nothingToChange : texts.nothingToAdd;
  if (change.length > 0) return texts.updateCount(change.length, add.length);
  return texts.addCount(add.length, leftOut.length);
}

function FileTitle({ file, table }: { readonly file: ReadFile; readonly table: Table }) {
  const title = useRef<HTMLHeadingElement>(null);
  // The field for the file, which had the focus, is gone.
  useEffect(() => title.current?.focus(), []);
  return (
    <>
      <h2 ref={title} tabIndex={-1}>
        <bdi>{file.name}</bdi>
        {file.tables.length > 1 && (
          <>
            {texts.sheet}
            <bdi>{table.name}</bdi>
          </>
        )}
      </h2>
      {!file.isUtf8 && <p class="hint">{texts.notUtf8}</p>}
      {table.hiddenRowCount > 0 && <p class="hint">{texts.hiddenRows(table.hiddenRowCount)}</p>}
    </>
  );
}

/** The progress of the search, or what the import will do. */
function describeSearch(
  search: ReturnType<typeof useMatches>,
  { newCategories }: ImportPlan,
  lists: ShownRows,
): string {
  if (search.fault !== undefined) return '';
  if (!search.isDone) return texts.searching(search.doneCount, search.totalCount);
  const names = newCategories
    .slice(0, newNamesMax)
    .map(({ name, id }) => (id === undefined ? name : `${name} (${id})`));
  const { filters, filterOf, newCategories: describeNew } = texts;
  const shown = (['add', 'change', 'there', 'undecided', 'leftOut'] as const).filter(
    (one) => one === 'add' || one === 'leftOut' || lists[one].length > 0,
  );
  return [
    ...shown.map((one) => filterOf(filters[one], lists[one].length)),
    ...(names.length === 0
      ? []
      : [describeNew(newCategories.length, names.join(', '), names.length)]),
  ].join(' · ');
}
