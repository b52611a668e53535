import { useEffect, useMemo } from 'preact/hooks';
import type { Pet } from '../../../client/src/contract.ts';
import { changedPet, listen } from '../api/announce.ts';
import { hasScope } from '../api/session.ts';
import { keepAtReload, takeKept } from '../loading/reload.ts';
import { Empty } from '../parts/display.tsx';
import { addressOf, listQueries } from '../route.ts';
import { ListScreen, useRecordList } from '../tables/list-screen.tsx';
import { createSelection } from '../tables/selection.ts';
import { texts } from '../texts/animals.ts';
import { useAnimalDialogs } from './animal-dialogs.tsx';
import { AnimalTable } from './animal-list.tsx';
import { AnimalToolbar, OrderChoice } from './animal-toolbar.tsx';
import { BulkBar } from './bulk-bar.tsx';
import { bulkWork, isChangingMany, takeUnchangedAnimals, unchangedAnimals } from './bulk-run.ts';
import { createMatch, queryOf, readFilter, readOrder } from './filter.ts';
import { FirstSteps } from './first-steps.tsx';
import { openAnimals } from './list-animals.ts';
import { PrintAnimals } from './print-animals.tsx';
import { countMatches, useStatusCounts } from './status-counts.ts';

export function Animals() {
  const query = listQueries.animals.value;
  const dialogs = useAnimalDialogs('list');
  const filter = useMemo(() => readFilter(query), [query]);
  const order = readOrder(query);
  const filterKey = addressOf('animals', queryOf(filter));
  const matches = useMemo(() => createMatch(filter), [filter]);
  const counts = useStatusCounts();
  const list = useRecordList<Pet>(
    addressOf('animals', queryOf(filter, order)),
    () => openAnimals(filter, order),
    countMatches(filter, counts),
  );
  const selection = useMemo(() => createSelection(list), [list]);
  useEffect(
    () =>
      listen((update) => {
        // An animal that was changed here stays selected, with its new values.
        const pet = update !== 'reset' && update.isOwn ? changedPet(update.event) : undefined;
        if (pet !== undefined && !isChangingMany.peek()) selection.changed(pet);
      }),
    [selection],
  );
  const selectedCount = selection.rows.value.size;
  useEffect(() => selection.set(takeKept<readonly Pet[]>('selection') ?? []), [filterKey]);
  useEffect(
    () => keepAtReload('selection', () => [...selection.rows.peek().values()]),
    [selection],
  );
  useEffect(() => {
    const unchanged = takeUnchangedAnimals();
    if (unchanged !== undefined) selection.set(unchanged);
  }, [unchangedAnimals.value]);
  const isFiltered = Object.values(filter).some((value) => value !== undefined);
  const add = () => dialogs.open('add');
  const noMatch = (
    <Empty title={texts.noMatch}>
      <p>
        <a href={addressOf('animals')}>{texts.showAll}</a>
      </p>
      {filter.name !== undefined && hasScope('orders:read') && (
        <p>
          <a href={addressOf('orders', { search: filter.name })}>
            {texts.searchOrders(filter.name)}
          </a>
        </p>
      )}
    </Empty>
  );

  return (
    <>
      <AnimalToolbar {...{ filter, order, counts }} onAdd={add}>
        <PrintAnimals {...{ list, filter, order, matches }} />
      </AnimalToolbar>
      <ListScreen
        list={list}
        kind="pet"
        isCounted={matches}
        controls={<OrderChoice filter={filter} order={order} />}
        empty={isFiltered ? noMatch : <FirstSteps onAdd={add} />}
      >
        <AnimalTable
          {...{ list, matches, order, selection, dialogs }}
          isFixed={isChangingMany.value}
        />
      </ListScreen>
      <p class="spoken" role="status">
        {selectedCount > 0 && texts.selected(selectedCount)}
      </p>
      {(selectedCount > 0 || bulkWork.value !== undefined) && (
        <BulkBar
          pets={[...selection.rows.value.values()]}
          onSelectAll={selection.selectAll}
          onClear={() => selection.set([])}
        />
      )}
      {dialogs.dialog}
    </>
  );
}
