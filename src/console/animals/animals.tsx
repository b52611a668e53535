import { useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import type { Pet } from '../../../client/src/contract.ts';
import { currentApi } from '../api/session.ts';
import { useDialog } from '../parts/dialog.tsx';
import { Empty } from '../parts/display.tsx';
import { ListScreen, useRecordList } from '../parts/list-screen.tsx';
import { addressOf, listQuery } from '../route.ts';
import { texts } from '../texts/animals.ts';
import { AddAnimal } from './animal-form.tsx';
import { AnimalTable } from './animal-list.tsx';
import { AnimalToolbar } from './animal-toolbar.tsx';
import { BulkBar } from './bulk-bar.tsx';
import { bulkWork, isChangingMany, takeUnchangedAnimals, unchangedAnimals } from './bulk-run.ts';
import { EditAnimal } from './edit-animal.tsx';
import { createMatch, filteredBefore, readFilter } from './filter.ts';
import { FirstSteps } from './first-steps.tsx';
import { PrintAnimals } from './print-animals.tsx';
import { Sale } from './sale.tsx';
import { useStatusCounts } from './status-counts.ts';

const byId = (pets: readonly Pet[]) => new Map(pets.map((pet) => [pet.id, pet]));

export function Animals() {
  const query = listQuery.value;
  const filterKey = JSON.stringify([query.get('status'), query.get('name'), query.get('category')]);
  const filter = useMemo(() => readFilter(query), [filterKey]);
  const matches = useMemo(() => createMatch(filter), [filter]);
  const selected = useSignal<ReadonlyMap<bigint, Pet>>(new Map());
  const list = useRecordList<Pet>(
    filterKey,
    (signal) => currentApi().pets.list({ ...filter, limit: 100 }, { signal }),
    (rows, { type, data, previous }, isOwn) => {
      if (type === 'pet.created' && isOwn) rows.added(data);
      else if (type === 'pet.created' && matches(data)) rows.addedByOthers(data.id);
      else if (type === 'pet.deleted') rows.removed(data.id);
      else if (type === 'pet.updated') {
        rows.changed(data);
        // An animal that was on no page yet may match now.
        const isNew = matches(data) && !matches(filteredBefore(data, previous));
        if (isNew) rows.addedByOthers(data.id);
        // An animal that was changed here stays selected, with its new values.
        const isSelected = selected.peek().has(data.id) && !isChangingMany.peek();
        if (isOwn && isSelected) selected.value = new Map(selected.peek()).set(data.id, data);
      }
    },
  );
  useEffect(() => {
    selected.value = new Map();
  }, [list]);
  useEffect(() => {
    const unchanged = takeUnchangedAnimals();
    if (unchanged !== undefined) selected.value = byId(unchanged);
  }, [unchangedAnimals.value]);
  const { dialog, open } = useDialog({
    add: () => <AddAnimal />,
    edit: (pet: Pet) => <EditAnimal pet={pet} />,
    sell: (pet: Pet) => <Sale pet={pet} isSale />,
    reserve: (pet: Pet) => <Sale pet={pet} isSale={false} />,
  });
  const counts = useStatusCounts();
  const isFiltered = Object.values(filter).some((value) => value !== undefined);
  const add = () => open('add');
  const noMatch = (
    <Empty title={texts.noMatch}>
      <p>
        <a href={addressOf('animals')}>{texts.showAll}</a>
      </p>
    </Empty>
  );

  return (
    <>
      <AnimalToolbar filter={filter} counts={counts} onAdd={add}>
        <PrintAnimals {...{ list, filter, matches }} />
      </AnimalToolbar>
      <ListScreen
        list={list}
        noun={texts.noun}
        empty={isFiltered ? noMatch : <FirstSteps onAdd={add} />}
      >
        <AnimalTable
          {...{ list, matches, selected }}
          isChanging={isChangingMany.value}
          onOpen={open}
        />
      </ListScreen>
      {(selected.value.size > 0 || bulkWork.value !== undefined) && (
        <BulkBar
          pets={[...selected.value.values()]}
          onSelectAll={async () => {
            if (!(await list.loadAll())) return;
            const { items, gone } = list.rows;
            selected.value = byId(items.filter((pet) => !gone.has(pet.id) && matches(pet)));
          }}
          onClear={() => {
            selected.value = new Map();
          }}
        />
      )}
      {dialog}
    </>
  );
}
