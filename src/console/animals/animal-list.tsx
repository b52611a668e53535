import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { Inventory, Pet } from '../../../client/src/contract.ts';
import { nameLengthMax } from '../../domain/name.ts';
import { petStatuses } from '../../domain/pet.ts';
import type { RecordList } from '../api/record-list.ts';
import { hasScope } from '../api/session.ts';
import { categories, categoryName } from '../categories/categories-state.ts';
import { useAction } from '../parts/action.ts';
import { Button, Select } from '../parts/controls.tsx';
import { type RowAction, Status, StatusChoices } from '../parts/display.tsx';
import { showNotice } from '../parts/notices.tsx';
import { numberColumn, Table } from '../parts/table.tsx';
import { addressOf, go, route } from '../route.ts';
import { formTexts, saleTexts, texts } from '../texts/animals.ts';
import { common, frame } from '../texts/common.ts';
import { exportAnimals } from './export.ts';
import type { Filter, Match } from './filter.ts';

export function AnimalTable(props: {
  readonly list: RecordList<Pet>;
  readonly matches: Match;
  readonly selected: { value: ReadonlyMap<bigint, Pet> };
  /** During a change of the selected animals, the selection stays. */
  readonly isChanging: boolean;
  readonly onOpen: (dialog: 'edit' | 'sell' | 'reserve', pet: Pet) => void;
}) {
  const { list, matches, selected, isChanging, onOpen } = props;
  const { gone } = list.rows;
  const canWrite = hasScope('pets:write');

  function toggle(pet: Pet): void {
    if (isChanging) return;
    const next = new Map(selected.value);
    if (!next.delete(pet.id)) next.set(pet.id, pet);
    selected.value = next;
  }

  function actionsOf(pet: Pet): readonly RowAction[] {
    const { id, name, status } = pet;
    const actions: RowAction[] = [];
    if (gone.has(id)) return actions;
    if (status === 'available' && hasScope('orders:write')) {
      actions.push({ text: saleTexts.sell.action, run: () => onOpen('sell', pet) });
      actions.push({ text: saleTexts.reserve.action, run: () => onOpen('reserve', pet) });
    }
    if (status === 'pending' && hasScope('orders:read')) {
      const address = addressOf('orders', { animal: String(id) });
      actions.push({ text: frame.titles.orders, address, label: saleTexts.ordersFor(name) });
    }
    if (canWrite) actions.push({ text: common.edit, run: () => onOpen('edit', pet) });
    return actions;
  }

  return (
    <Table
      list={list}
      label={frame.titles.animals}
      layout="animals"
      onOpen={canWrite ? (pet) => onOpen('edit', pet) : undefined}
      onSelect={canWrite ? toggle : undefined}
      isSelected={({ id }) => selected.value.has(id)}
      rowClass={(pet) => (gone.has(pet.id) ? 'gone' : matches(pet) ? '' : 'elsewhere')}
      columns={[
        {
          heading: texts.select,
          class: 'select',
          cell: (pet, tabIndex) =>
            canWrite &&
            (!gone.has(pet.id) || selected.value.has(pet.id)) && (
              <input
                type="checkbox"
                aria-label={common.actionOn(texts.select, pet.name)}
                tabIndex={tabIndex}
                checked={selected.value.has(pet.id)}
                disabled={isChanging}
                onChange={() => toggle(pet)}
              />
            ),
        },
        numberColumn,
        {
          heading: common.name,
          class: 'name',
          title: ({ name }) => name,
          cell: ({ id, name }) => (
            <>
              <bdi>{name}</bdi> <small class="short">#{String(id)}</small>
            </>
          ),
        },
        {
          heading: common.category,
          class: 'category',
          cell: ({ categoryId }) => categoryName(categoryId) ?? String(categoryId),
        },
        {
          heading: common.status,
          class: 'state',
          cell: ({ id, status }) =>
            gone.has(id) ? <span class="status">{texts.deletedState}</span> : Status({ status }),
        },
      ]}
      nameOf={({ name }) => name}
      actions={actionsOf}
    />
  );
}

export function AnimalToolbar(props: {
  readonly filter: Filter;
  readonly counts: Inventory | undefined;
  readonly onAdd: () => void;
}) {
  const { filter, counts, onAdd } = props;
  const { status, name, categoryId } = filter;
  const query = { status, name, category: categoryId?.toString() };
  const exporting = useAction(async () => {
    showNotice(texts.exported(await exportAnimals(filter)));
  });
  // The counts are those of the whole catalogue, and not of a search.
  const isWhole = name === undefined && categoryId === undefined;
  const total = counts && counts.available + counts.pending + counts.sold;
  return (
    <div class="toolbar">
      <StatusChoices
        statuses={petStatuses}
        chosen={status}
        addressOf={(one) => addressOf('animals', { ...query, status: one })}
        countOf={(one) => (isWhole ? (one === undefined ? total : counts?.[one]) : undefined)}
      />
      <div class="filters">
        <Search name={name ?? ''} />
        <CategoryFilter
          id={query.category ?? ''}
          onSelect={(category) => go('animals', { ...query, category })}
        />
      </div>
      <div class="actions">
        <Button onClick={exporting.run} disabled={exporting.isRunning}>
          {exporting.isRunning ? texts.exporting : texts.export}
        </Button>
        {hasScope('pets:write') && (
          <>
            <a class="button plain" href={addressOf('import')}>
              {frame.titles.import}
            </a>
            <Button kind="main" onClick={onAdd}>
              {formTexts.add}
            </Button>
          </>
        )}
      </div>
      {exporting.fault !== undefined && <p role="alert">{exporting.fault}</p>}
    </div>
  );
}

/** Searches a moment after the last key. */
function Search({ name }: { readonly name: string }) {
  const typed = useSignal(name);
  /** The name that typing put into the address. Any other name comes from elsewhere, such as from Back. */
  const written = useRef(name);
  useEffect(() => {
    if (name === written.current) return;
    written.current = name;
    typed.value = name;
  }, [name]);
  useEffect(() => {
    if (typed.value === written.current) return;
    const timer = setTimeout(() => {
      written.current = typed.peek().trim();
      const now = Object.fromEntries(route.peek().query);
      go('animals', { ...now, name: written.current }, 'replaceState');
    }, 250);
    return () => clearTimeout(timer);
  }, [typed.value]);
  return (
    <input
      type="search"
      aria-label={texts.search}
      placeholder={texts.search}
      value={typed.value}
      maxLength={nameLengthMax}
      onInput={({ currentTarget }) => {
        typed.value = currentTarget.value;
      }}
    />
  );
}

function CategoryFilter(props: { readonly id: string; readonly onSelect: (id: string) => void }) {
  const { id, onSelect } = props;
  const known = categories.value.map((category) => [String(category.id), category.name] as const);
  const options = [['', texts.allCategories] as const, ...known];
  if (!options.some(([value]) => value === id)) options.splice(1, 0, [id, id]);
  return <Select {...{ options, onSelect }} aria-label={common.category} value={id} />;
}
