import { useComputed, useSignal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { Inventory, Pet, PetStatus } from '../../../client/src/contract.ts';
import { nameLengthMax } from '../../domain/name.ts';
import { petStatuses } from '../../domain/pet.ts';
import { comparableText } from '../../domain/search.ts';
import { api } from '../api/api.ts';
import { parseInteger } from '../api/integer.ts';
import { listen } from '../api/live.ts';
import { createRecordList, type RecordList } from '../api/record-list.ts';
import { categories, categoryName } from '../categories/categories-state.ts';
import { useAction } from '../parts/action.ts';
import { useWindow } from '../parts/dialog.tsx';
import { tell } from '../parts/notices.tsx';
import { Button, Choices, capitalize, Empty, NewRecords, Status } from '../parts/parts.tsx';
import { Cell, Table } from '../parts/table.tsx';
import { addressOf, go, place } from '../parts/url-state.ts';
import { may } from '../session/session.ts';
import { AddAnimal, EditAnimal } from './animal-form.tsx';
import { BulkBar } from './bulk-bar.tsx';
import { exportAnimals } from './export.ts';
import { FirstSteps } from './first-steps.tsx';
import { Sale } from './sale.tsx';

interface Filter {
  readonly status: PetStatus | undefined;
  readonly name: string | undefined;
  readonly categoryId: bigint | undefined;
}

function readFilter(query: URLSearchParams): Filter {
  return {
    status: petStatuses.find((status) => status === query.get('status')),
    name: query.get('name')?.slice(0, nameLengthMax) || undefined,
    categoryId: parseInteger(query.get('category') ?? ''),
  };
}

function fits(pet: Pet, { status, name, categoryId }: Filter): boolean {
  return (
    (status === undefined || pet.status === status) &&
    (categoryId === undefined || pet.categoryId === categoryId) &&
    (name === undefined || comparableText(pet.name).includes(comparableText(name)))
  );
}

function asBefore(pet: Pet, previous: object | undefined): Pet {
  return { ...pet, ...previous };
}

type Window = { readonly is: 'add' } | { readonly is: 'edit' | 'sell' | 'keep'; readonly pet: Pet };

export function Animals() {
  const { query } = place.value;
  const filterKey = JSON.stringify([query.get('status'), query.get('name'), query.get('category')]);
  const filter = useMemo(() => readFilter(query), [filterKey]);
  const list = useMemo(
    () => createRecordList<Pet>((signal) => api.pets.list({ ...filter, limit: 100 }, { signal })),
    [filterKey],
  );
  const selected = useSignal<ReadonlyMap<bigint, Pet>>(new Map());
  const { opened, open, close } = useWindow<Window>();
  const doneCount = useSignal<number | undefined>(undefined);
  const isChanging = useComputed(() => doneCount.value !== undefined);
  const { counts, countAgain } = useCounts();

  useEffect(() => {
    selected.value = new Map();
    void list.loadMore();
    const leave = listen((heard) => {
      if (heard === 'reset') return void list.reload();
      const { type, data, previous } = heard.event;
      list.apply(() => {
        if (type === 'pet.created' && fits(data, filter)) list.rows.addedByOthers(data.id);
        else if (type === 'pet.deleted') list.rows.removed(data.id);
        else if (type === 'pet.updated') {
          list.rows.changed(data);
          // Of one that was on no page yet, only this tells that it has come to fit.
          if (fits(data, filter) && !fits(asBefore(data, previous), filter)) {
            list.rows.addedByOthers(data.id);
          }
        }
      });
    });
    return () => {
      leave();
      list.stop();
    };
  }, [list]);

  const isFiltered = Object.values(filter).some((value) => value !== undefined);
  const changed = (pet: Pet) => {
    list.rows.changed(pet);
    countAgain();
  };
  /** One that was changed here is selected as it is now. */
  const changedHere = (pet: Pet) => {
    changed(pet);
    if (selected.peek().has(pet.id)) selected.value = new Map(selected.peek()).set(pet.id, pet);
  };
  const removed = (id: bigint) => {
    list.rows.removed(id);
    countAgain();
  };
  // Read for the sake of what it announces.
  void list.rows.version.value;
  const isEmpty = list.state.value === 'complete' && list.rows.items.length === 0;

  return (
    <>
      <Toolbar filter={filter} counts={counts} onAdd={() => open({ is: 'add' })} />
      <div class="list">
        <NewRecords
          count={list.rows.unseenCount.value}
          noun="animal"
          onShow={() => void list.reload()}
        />
        {isEmpty && !isFiltered ? (
          <FirstSteps onAdd={() => open({ is: 'add' })} />
        ) : isEmpty ? (
          <Empty title="No animal fits">
            <p>
              <a href={addressOf('animals')}>Show all animals</a>
            </p>
          </Empty>
        ) : (
          <AnimalTable
            list={list}
            filter={filter}
            listKey={`${filterKey} ${list.generation.value}`}
            selected={selected}
            isChanging={isChanging.value}
            onWindow={open}
          />
        )}
      </div>
      {selected.value.size > 0 && (
        <BulkBar
          pets={[...selected.value.values()]}
          doneCount={doneCount}
          onSelectAll={async () => {
            if (!(await list.loadAll())) return;
            const { items, gone } = list.rows;
            const there = items.filter((pet) => !gone.has(pet.id) && fits(pet, filter));
            selected.value = new Map(there.map((pet) => [pet.id, pet]));
          }}
          onChanged={changed}
          onRemoved={removed}
          onDone={(left) => {
            selected.value = new Map(left.map((pet) => [pet.id, pet]));
          }}
        />
      )}
      {opened?.is === 'add' && (
        <AddAnimal
          onClose={close}
          onAdded={(pet) => {
            list.rows.added(pet);
            countAgain();
          }}
        />
      )}
      {opened?.is === 'edit' && (
        <EditAnimal pet={opened.pet} onChanged={changedHere} onRemoved={removed} onClose={close} />
      )}
      {(opened?.is === 'sell' || opened?.is === 'keep') && (
        <Sale pet={opened.pet} isSale={opened.is === 'sell'} onDone={changedHere} onClose={close} />
      )}
    </>
  );
}

/** How many animals there are of each status, read again a moment after something happened. */
function useCounts() {
  const counts = useSignal<Inventory | undefined>(undefined);
  const reader = useMemo(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const read = async () => {
      counts.value = await api.inventory.count().catch(() => counts.peek());
    };
    return {
      read,
      later() {
        timer ??= setTimeout(() => {
          timer = undefined;
          void read();
        }, 300);
      },
      stop: () => clearTimeout(timer),
    };
  }, []);
  useEffect(() => {
    void reader.read();
    const leave = listen((heard) => {
      if (heard === 'reset' || heard.event.type.startsWith('pet.')) reader.later();
    });
    return () => {
      leave();
      reader.stop();
    };
  }, []);
  return { counts: counts.value, countAgain: reader.later };
}

function Toolbar(props: {
  readonly filter: Filter;
  readonly counts: Inventory | undefined;
  readonly onAdd: () => void;
}) {
  const { filter, counts } = props;
  const typed = useSignal(filter.name ?? '');
  /** What stands in the address because of what was typed; anything else came from elsewhere, as by Back. */
  const written = useRef(typed.peek());
  useEffect(() => {
    const name = filter.name ?? '';
    if (name === written.current) return;
    written.current = name;
    typed.value = name;
  }, [filter.name]);
  const asQuery = {
    status: filter.status,
    name: filter.name,
    category: filter.categoryId === undefined ? undefined : String(filter.categoryId),
  };
  useEffect(() => {
    if (typed.value === written.current) return;
    const timer = setTimeout(() => {
      written.current = typed.peek();
      const now = Object.fromEntries(place.peek().query);
      go('animals', { ...now, name: typed.peek() }, 'replace');
    }, 250);
    return () => clearTimeout(timer);
  }, [typed.value]);

  const exporting = useAction(async () => {
    const count = await exportAnimals(filter);
    tell(`${count} animals were exported.`);
  });
  const total = counts && counts.available + counts.pending + counts.sold;
  // They count the whole catalogue, which is not what is searched.
  const isWhole = filter.name === undefined && filter.categoryId === undefined;
  const withCount = (text: string, count: bigint | undefined) =>
    count === undefined || !isWhole ? text : `${text} ${count.toLocaleString()}`;
  const isKnown = categories.value.some(({ id }) => id === filter.categoryId);
  return (
    <div class="toolbar">
      <Choices
        label="Status"
        choices={[
          {
            text: withCount('All', total),
            address: addressOf('animals', { ...asQuery, status: undefined }),
            isChosen: filter.status === undefined,
          },
          ...petStatuses.map((status) => ({
            text: withCount(capitalize(status), counts?.[status]),
            address: addressOf('animals', { ...asQuery, status }),
            isChosen: filter.status === status,
          })),
        ]}
      />
      <div class="filters">
        <input
          type="search"
          aria-label="Search by name"
          placeholder="Search by name"
          value={typed.value}
          maxLength={nameLengthMax}
          onInput={(event) => {
            typed.value = event.currentTarget.value;
          }}
        />
        <select
          aria-label="Category"
          value={asQuery.category ?? ''}
          onChange={(event) => go('animals', { ...asQuery, category: event.currentTarget.value })}
        >
          <option value="">All categories</option>
          {filter.categoryId !== undefined && !isKnown && (
            <option value={asQuery.category}>{asQuery.category}</option>
          )}
          {categories.value.map(({ id, name }) => (
            <option key={String(id)} value={String(id)}>
              {name}
            </option>
          ))}
        </select>
      </div>
      <div class="actions">
        <Button onClick={() => void exporting.run()} disabled={exporting.isRunning}>
          {exporting.isRunning ? 'Exporting…' : 'Export'}
        </Button>
        {may('pets:write') && (
          <>
            <a class="button plain" href={addressOf('import')}>
              Import
            </a>
            <Button kind="main" onClick={props.onAdd}>
              Add an animal
            </Button>
          </>
        )}
      </div>
      {exporting.fault !== undefined && <p role="alert">{exporting.fault}</p>}
    </div>
  );
}

function AnimalTable(props: {
  readonly list: RecordList<Pet>;
  readonly filter: Filter;
  readonly listKey: string;
  readonly selected: { value: ReadonlyMap<bigint, Pet> };
  /** While those that are selected are changed, they stay selected. */
  readonly isChanging: boolean;
  readonly onWindow: (window: Window) => void;
}) {
  const { list, filter, listKey, selected, isChanging, onWindow } = props;
  const canWrite = may('pets:write');
  const canOrder = may('orders:write');

  function toggle(pet: Pet): void {
    if (isChanging) return;
    const next = new Map(selected.value);
    if (!next.delete(pet.id)) next.set(pet.id, pet);
    selected.value = next;
  }

  return (
    <Table
      label="Animals"
      layout="animals"
      columns={['Select', 'Number', 'Name', 'Category', 'Status', 'Actions']}
      rows={list.rows.items}
      idOf={({ id }) => id}
      listKey={listKey}
      state={list.state.value}
      message={list.message.value}
      onMore={() => void list.loadMore()}
      onOpen={canWrite ? (pet) => onWindow({ is: 'edit', pet }) : undefined}
      onSelect={canWrite ? toggle : undefined}
      isSelected={({ id }) => selected.value.has(id)}
      rowClass={(pet) =>
        list.rows.gone.has(pet.id) ? 'gone' : fits(pet, filter) ? '' : 'elsewhere'
      }
      cells={(pet, isCurrent) => {
        const isGone = list.rows.gone.has(pet.id);
        const tabIndex = isCurrent ? 0 : -1;
        return (
          <>
            <Cell class="select">
              {canWrite && (!isGone || selected.value.has(pet.id)) && (
                <input
                  type="checkbox"
                  aria-label={`Select ${pet.name}`}
                  tabIndex={tabIndex}
                  checked={selected.value.has(pet.id)}
                  disabled={isChanging}
                  onChange={() => toggle(pet)}
                />
              )}
            </Cell>
            <Cell class="number">{String(pet.id)}</Cell>
            <Cell class="name" title={pet.name}>
              <bdi>{pet.name}</bdi> <small class="short">#{String(pet.id)}</small>
            </Cell>
            <Cell class="category">{categoryName(pet.categoryId) ?? String(pet.categoryId)}</Cell>
            <Cell class="state">
              {isGone ? <span class="status">deleted</span> : <Status status={pet.status} />}
            </Cell>
            <Cell class="row-actions">
              {canOrder && !isGone && pet.status === 'available' && (
                <>
                  <Button
                    label={`Sell ${pet.name}`}
                    tabIndex={tabIndex}
                    onClick={() => onWindow({ is: 'sell', pet })}
                  >
                    Sell
                  </Button>
                  <Button
                    label={`Reserve ${pet.name}`}
                    tabIndex={tabIndex}
                    onClick={() => onWindow({ is: 'keep', pet })}
                  >
                    Reserve
                  </Button>
                </>
              )}
              {pet.status === 'pending' && !isGone && may('orders:read') && (
                <a
                  class="button plain"
                  aria-label={`Orders for ${pet.name}`}
                  tabIndex={tabIndex}
                  href={addressOf('orders', { animal: String(pet.id) })}
                >
                  Orders
                </a>
              )}
              {canWrite && !isGone && (
                <Button
                  label={`Edit ${pet.name}`}
                  tabIndex={tabIndex}
                  onClick={() => onWindow({ is: 'edit', pet })}
                >
                  Edit
                </Button>
              )}
            </Cell>
          </>
        );
      }}
    />
  );
}
