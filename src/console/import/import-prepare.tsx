import { useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { exportedHeadings } from '../animals/export.ts';
import { members, showMember } from '../animals/members.ts';
import { categoryNames, useCategoryIds } from '../categories/categories-state.ts';
import type { CategoryChoice } from '../categories/category-choice.ts';
import { CategoryPicker, categoryFault, firstCategory } from '../categories/category-picker.tsx';
import { assignTo } from '../parts/action.ts';
import { Button, Fault, Form } from '../parts/controls.tsx';
import { ShortTable } from '../parts/display.tsx';
import { common } from '../texts/common.ts';
import { prepareTexts as texts } from '../texts/import.ts';
import type { ReadFile, Table } from './import-file.ts';
import { MappingFields, StatusWords } from './import-mapping.tsx';
import {
  guessMapping,
  type ImportPlan,
  isMapped,
  type Mapping,
  planImport,
  type RowFault,
} from './import-plan.ts';

const previewRows = 50;
const listedFaultsMax = 1000;

/** The columns of a file, and a preview of the animals, before any is added. */
export function Prepare(props: {
  readonly file: ReadFile;
  readonly table: Table;
  readonly onBack: () => void;
  /** With the category of all rows, unless a column has the categories. */
  readonly onStart: (plan: ImportPlan, category: CategoryChoice | undefined) => void;
}) {
  const { file, table, onBack, onStart } = props;
  const { name, isUtf8 } = file;
  const mapping = useSignal<Mapping>(guessMapping(table));
  const category = useSignal<CategoryChoice>(firstCategory());
  const showsFaults = useSignal(false);
  const idOfName = useCategoryIds();
  const plan = useMemo(
    () => planImport(table, mapping.value, idOfName),
    [table, mapping.value, idOfName],
  );
  const needsCategory = !mapping.value.columns.has('category');
  const missing = findMissing(mapping.value, needsCategory ? category.value : undefined);
  const isReady = isMapped(mapping.value);
  const { rows, faults, newCategories } = plan;
  function run(): void {
    showsFaults.value = true;
    if (missing !== undefined || rows.length === 0) return;
    onStart(plan, needsCategory ? category.value : undefined);
  }
  return (
    <Form action={{ run }}>
      <h2>{name}</h2>
      {!isUtf8 && <p class="hint">{texts.notUtf8}</p>}
      <MappingFields table={table} mapping={mapping.value} onMapping={assignTo(mapping)} />
      <StatusWords
        words={plan.unknownStatusWords}
        mapping={mapping.value}
        onMapping={assignTo(mapping)}
      />
      {needsCategory && (
        <CategoryPicker
          value={category.value}
          fault={showsFaults.value ? categoryFault(category.value) : undefined}
          onInput={assignTo(category)}
        />
      )}
      {table.rows[0]?.cells.join() === exportedHeadings.join() && (
        <p class="question">{texts.isExport}</p>
      )}
      {newCategories.length > 0 && <p class="hint">{describeNew(newCategories)}</p>}
      <FaultList faults={faults} title={texts.cannotAdd(faults.length)} />
      {isReady && <Preview plan={plan} needsCategory={needsCategory} />}
      <Fault message={showsFaults.value || !isReady ? missing : undefined} />
      <footer>
        <Button onClick={onBack}>{texts.otherFile}</Button>
        <Button kind="main" type="submit" disabled={rows.length === 0}>
          {!isReady
            ? texts.add
            : rows.length === 0
              ? texts.nothingToAdd
              : texts.addCount(rows.length, faults.length)}
        </Button>
      </footer>
    </Form>
  );
}

function findMissing(mapping: Mapping, category: CategoryChoice | undefined): string | undefined {
  if (mapping.hasHeader === undefined) return texts.firstRowFault;
  if (!isMapped(mapping)) return texts.nameColumnFault;
  return category && categoryFault(category);
}

function describeNew(names: readonly string[]): string {
  const listed = names.slice(0, 10).join(', ');
  return texts.newCategories(names.length, names.length > 10 ? listed + texts.more : listed);
}

function Preview(props: { readonly plan: ImportPlan; readonly needsCategory: boolean }) {
  const { plan, needsCategory } = props;
  const shown = plan.rows.slice(0, previewRows);
  if (shown.length === 0) return null;
  const shownMembers = members.filter(({ name }) => name !== 'category' || !needsCategory);
  return (
    <section class="preview" aria-label={texts.preview} tabIndex={0}>
      <ShortTable
        caption={texts.previewOf(shown.length, plan.rows.length)}
        columns={[texts.line, ...shownMembers.map(({ name: member }) => common[member])]}
      >
        {shown.map(({ line, index, draft }) => (
          <tr key={index}>
            <td class="number">{line}</td>
            {shownMembers.map((member) => (
              <td key={member.name}>{showMember(member, draft, categoryNames)}</td>
            ))}
          </tr>
        ))}
      </ShortTable>
    </section>
  );
}

/** The rows that are left out, with their faults. */
export function FaultList(props: { readonly faults: readonly RowFault[]; readonly title: string }) {
  const { faults, title } = props;
  if (faults.length === 0) return null;
  return (
    <section class="preview faults" aria-label={title} tabIndex={0}>
      <ShortTable
        caption={title}
        columns={[texts.line, texts.columnHeading, texts.value, texts.reason]}
      >
        {faults.slice(0, listedFaultsMax).map(({ index, line, column, value, reason }) => (
          <tr key={index}>
            <td class="number">{line}</td>
            <td>{column}</td>
            <td>{value === '' ? <em>{texts.nothing}</em> : value.slice(0, 64)}</td>
            <td>{reason}</td>
          </tr>
        ))}
      </ShortTable>
      {faults.length > listedFaultsMax && <p>{texts.andMore(faults.length - listedFaultsMax)}</p>}
    </section>
  );
}
