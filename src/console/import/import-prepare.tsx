import { useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { petStatuses } from '../../domain/pet.ts';
import { comparableText } from '../../domain/search.ts';
import { exportedColumns } from '../animals/export.ts';
import { categories, categoriesAreComplete } from '../categories/categories-state.ts';
import {
  type CategoryChoice,
  CategoryPicker,
  categoryFault,
  chooseCategory,
} from '../categories/category-picker.tsx';
import { Button, Fault, Field } from '../parts/parts.tsx';
import type { Csv } from './csv.ts';
import { FaultList } from './import-faults.tsx';
import type { ReadFile } from './import-file.ts';
import {
  columnName,
  guessMapping,
  type ImportPlan,
  isMapped,
  type Mapping,
  planImport,
} from './import-plan.ts';

const previewRows = 50;

/** Which column holds what, and all that would be added, before anything is. */
export function Prepare(props: {
  readonly file: ReadFile;
  readonly onBack: () => void;
  readonly onStart: (plan: ImportPlan, category: CategoryChoice) => void;
}) {
  const { csv, name, isUtf8 } = props.file;
  const mapping = useSignal<Mapping>(guessMapping(csv));
  const category = useSignal<CategoryChoice>(chooseCategory(undefined));
  const showsFaults = useSignal(false);
  const idOfName = useMemo(() => {
    const ids = new Map(categories.value.map(({ name, id }) => [comparableText(name.trim()), id]));
    const others = categoriesAreComplete.value ? undefined : 'unknown';
    return (text: string) => ids.get(comparableText(text)) ?? others;
  }, [categories.value, categoriesAreComplete.value]);
  const plan = useMemo(
    () => planImport(csv, mapping.value, idOfName),
    [csv, mapping.value, idOfName],
  );
  const needsCategory = mapping.value.category === undefined;
  const missing =
    mapping.value.hasHeader === undefined
      ? 'Say what the first row is.'
      : mapping.value.name === undefined
        ? 'Say which column holds the names.'
        : needsCategory
          ? categoryFault(category.value)
          : undefined;
  const isReady = isMapped(mapping.value);
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
      <StatusWords
        words={plan.foreignStatuses}
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
      <FaultList
        faults={faults}
        title={
          faults.length === 1 ? '1 row cannot be added' : `${faults.length} rows cannot be added`
        }
      />
      {isReady && <Preview plan={plan} needsCategory={needsCategory} />}
      <Fault message={showsFaults.value || !isReady ? missing : undefined} />
      <footer>
        <Button onClick={props.onBack}>Choose another file</Button>
        <Button kind="main" type="submit" disabled={rows.length === 0}>
          {!isReady ? 'Add' : rows.length === 0 ? 'Nothing to add' : `Add ${rows.length}${leftOut}`}
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
    (mapping.hasHeader !== false && first[index]?.trim()) || columnName(index);
  const fields = [
    ['name', 'Name', undefined],
    ['category', 'Category', 'One category for all'],
    ['status', 'Status', 'All are available'],
  ] as const;
  return (
    <div class="mapping">
      <Field
        label="The first row is"
        hint={first
          .map((cell) => cell.trim())
          .join(' · ')
          .slice(0, 80)}
      >
        {(attributes) => (
          <select
            {...attributes}
            value={mapping.hasHeader === undefined ? '' : mapping.hasHeader ? 'names' : 'animal'}
            onChange={({ currentTarget: { value } }) =>
              onMapping({ ...mapping, hasHeader: value === 'names' })
            }
          >
            {mapping.hasHeader === undefined && <option value="">Choose what it is</option>}
            <option value="names">Names of the columns</option>
            <option value="animal">An animal</option>
          </select>
        )}
      </Field>
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
    </div>
  );
}

/** What the words of the file for a status mean. */
function StatusWords(props: {
  readonly words: readonly string[];
  readonly mapping: Mapping;
  readonly onMapping: (mapping: Mapping) => void;
}) {
  const { words, mapping, onMapping } = props;
  return (
    <div class="mapping">
      {words.map((word) => (
        <Field key={word} label={`“${word.slice(0, 40)}” means`}>
          {(attributes) => (
            <select
              {...attributes}
              value={mapping.statusWords.get(word) ?? ''}
              onChange={({ currentTarget: { value } }) => {
                const statusWords = new Map(mapping.statusWords);
                const status = petStatuses.find((one) => one === value);
                if (status === undefined) statusWords.delete(word);
                else statusWords.set(word, status);
                onMapping({ ...mapping, statusWords });
              }}
            >
              <option value="">no status: leave its rows out</option>
              {petStatuses.map((status) => (
                <option key={status}>{status}</option>
              ))}
            </select>
          )}
        </Field>
      ))}
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
            : shown.length === 1
              ? '1 animal'
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
