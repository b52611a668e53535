import { useComputed, useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import type { Pet } from '../../../client/src/contract.ts';
import { api } from '../api/api.ts';
import { useDialog } from '../parts/dialog.tsx';
import { Empty } from '../parts/display.tsx';
import { ListScreen, useRecordList } from '../parts/list-screen.tsx';
import { addressOf, place } from '../parts/url-state.ts';
import { texts } from '../texts/animals.ts';
import { AddAnimal } from './animal-form.tsx';
import { AnimalTable } from './animal-table.tsx';
import { BulkBar } from './bulk-bar.tsx';
import { EditAnimal } from './edit-animal.tsx';
import { matches, readFilter } from './filter.ts';
import { FirstSteps } from './first-steps.tsx';
import { Sale } from './sale.tsx';
import { useStatusCounts } from './status-counts.ts';
import { Toolbar } from './toolbar.tsx';

type OpenDialog =
  | { readonly is: 'add' }
  | { readonly is: 'edit' | 'sell' | 'reserve'; readonly pet: Pet };

function asBefore(pet: Pet, previous: object | undefined): Pet {
  return { ...pet, ...previous };
}

const byId = (pets: readonly Pet[]) => new Map(pets.map((pet) => [pet.id, pet]));

export function Animals() {
  const { query } = place.value;
  const filterKey = JSON.stringify([query.get('status'), query.get('name'), query.get('category')]);
  const filter = useMemo(() => readFilter(query), [filterKey]);
  const list = useRecordList<Pet>(
    filterKey,
    (signal) => api.pets.list({ ...filter, limit: 100 }, { signal }),
    (rows, { type, data, previous }) => {
      if (type === 'pet.created' && matches(data, filter)) rows.addedByOthers(data.id);
      else if (type === 'pet.deleted') rows.removed(data.id);
      else if (type === 'pet.updated') {
        rows.changed(data);
        // An animal that was on no page yet may match now.
        const isNew = matches(data, filter) && !matches(asBefore(data, previous), filter);
        if (isNew) rows.addedByOthers(data.id);
      }
    },
  );
  const selected = useSignal<ReadonlyMap<bigint, Pet>>(new Map());
  useEffect(() => {
    selected.value = new Map();
  }, [list]);
  const { opened, open, close } = useDialog<OpenDialog>();
  const doneCount = useSignal<number | undefined>(undefined);
  const isChanging = useComputed(() => doneCount.value !== undefined);
  const { counts, countAgain } = useStatusCounts();

  const isFiltered = Object.values(filter).some((value) => value !== undefined);
  const changed = (pet: Pet) => {
    list.rows.changed(pet);
    countAgain();
  };
  /** An animal that was changed here stays selected, as it is now. */
  const changedHere = (pet: Pet) => {
    changed(pet);
    if (selected.peek().has(pet.id)) selected.value = new Map(selected.peek()).set(pet.id, pet);
  };
  const removed = (id: bigint) => {
    list.rows.removed(id);
    countAgain();
  };
  const add = () => open({ is: 'add' });

  return (
    <>
      <Toolbar filter={filter} counts={counts} onAdd={add} />
      <ListScreen
        list={list}
        noun={texts.noun}
        empty={isFiltered ? <NoMatch /> : <FirstSteps onAdd={add} />}
      >
        <AnimalTable
          list={list}
          filter={filter}
          listKey={`${filterKey} ${list.rows.generation.value}`}
          selected={selected}
          isChanging={isChanging.value}
          onOpen={(is, pet) => open({ is, pet })}
        />
      </ListScreen>
      {selected.value.size > 0 && (
        <BulkBar
          pets={[...selected.value.values()]}
          doneCount={doneCount}
          onSelectAll={async () => {
            if (!(await list.loadAll())) return;
            const { items, gone } = list.rows;
            selected.value = byId(items.filter((pet) => !gone.has(pet.id) && matches(pet, filter)));
          }}
          onChanged={changed}
          onRemoved={removed}
          onDone={(left) => {
            selected.value = byId(left);
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
      {(opened?.is === 'sell' || opened?.is === 'reserve') && (
        <Sale pet={opened.pet} isSale={opened.is === 'sell'} onDone={changedHere} onClose={close} />
      )}
    </>
  );
}

function NoMatch() {
  return (
    <Empty title={texts.noMatch}>
      <p>
        <a href={addressOf('animals')}>{texts.showAll}</a>
      </p>
    </Empty>
  );
}
