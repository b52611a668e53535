import type { ComponentChildren } from 'preact';
import type { Inventory } from '../../../client/src/contract.ts';
import { nameLengthMax } from '../../../src/domain/name.ts';
import { petStatuses } from '../../../src/domain/pet.ts';
import { hasScope } from '../api/session.ts';
import { CategoriesFault } from '../categories/categories-fault.tsx';
import { unnamedNumbers } from '../categories/categories-state.ts';
import { fromValue, noCategory, toValue } from '../categories/category-choice.ts';
import { categoryOptions, optionOf } from '../categories/category-picker.tsx';
import { later } from '../loading/later.ts';
import { useAction } from '../parts/action.ts';
import { Combobox } from '../parts/combobox/combobox.tsx';
import { Button, Select } from '../parts/controls.tsx';
import { StatusChoices } from '../parts/display.tsx';
import { showNotice } from '../parts/notices.tsx';
import { SearchField } from '../parts/search-field.tsx';
import { addressOf, go, route } from '../route.ts';
import { formTexts, texts } from '../texts/animals.ts';
import { common, frame } from '../texts/common.ts';
import { type Filter, type Order, queryOf, readFilter } from './filter.ts';
import { countMatches } from './status-counts.ts';

const exporter = later(() => import('./export.ts'));

export function AnimalToolbar(props: {
  readonly filter: Filter;
  readonly order: Order;
  readonly counts: Inventory | undefined;
  readonly onAdd: () => void;
  /** Further buttons. */
  readonly children: ComponentChildren;
}) {
  const { filter, order, counts, onAdd, children } = props;
  const { status, name } = filter;
  // An empty catalogue has a button of its own for the first animal.
  const isEmpty =
    counts !== undefined && countMatches(readFilter(new URLSearchParams()), counts) === 0;
  const query = queryOf(filter, order);
  const exporting = useAction(async () => {
    const { exportAnimals } = await exporter.load();
    showNotice(texts.exported(await exportAnimals(filter, order)));
  });
  return (
    <div class="toolbar">
      <StatusChoices
        values={petStatuses}
        chosen={status}
        addressOf={(one) => addressOf('animals', { ...query, status: one })}
        countOf={(one) => countMatches({ ...filter, status: one }, counts)}
      />
      <div class="filters">
        <SearchField
          label={texts.search}
          placeholder={texts.searchShort}
          text={name ?? ''}
          lengthMax={nameLengthMax}
          onSearch={search}
        />
        <CategoryFilter
          id={query.category ?? ''}
          onSelect={(category) => go('animals', { ...query, category })}
        />
      </div>
      <div class="actions">
        <Button onClick={exporting.run} disabled={exporting.isRunning}>
          {exporting.isRunning ? texts.exporting : texts.export}
        </Button>
        {children}
        {hasScope('pets:write') && (
          <>
            <a class="button plain" href={addressOf('import')}>
              {frame.titles.import}
            </a>
            <Button kind={isEmpty ? 'plain' : 'main'} onClick={onAdd}>
              {formTexts.add}
            </Button>
          </>
        )}
      </div>
      {exporting.fault !== undefined && <p role="alert">{exporting.fault}</p>}
      <CategoriesFault />
    </div>
  );
}

/** Searches with the filters of this moment. */
function search(name: string): void {
  // The page of an animal was opened just after the last key.
  if (route.peek().record !== undefined) return;
  go('animals', { ...Object.fromEntries(route.peek().query), name }, 'replaceState');
}

/** Which animals come first. */
export function OrderChoice(props: { readonly filter: Filter; readonly order: Order }) {
  const { filter, order } = props;
  return (
    <Select
      aria-label={texts.sort}
      value={order}
      options={Object.entries(texts.orders)}
      onSelect={(next) => go('animals', queryOf(filter, next))}
    />
  );
}

function CategoryFilter(props: { readonly id: string; readonly onSelect: (id: string) => void }) {
  const { id, onSelect } = props;
  const unnamed = unnamedNumbers.value.map((number) =>
    optionOf({ kind: 'number', text: String(number) }),
  );
  return (
    <Combobox
      label={common.category}
      value={toValue({ kind: 'number', text: id })}
      options={[allCategories, ...categoryOptions.value, ...unnamed]}
      onSelect={(value) => onSelect(fromValue(value).text)}
    />
  );
}

const allCategories = { value: toValue(noCategory), text: texts.allCategories };
