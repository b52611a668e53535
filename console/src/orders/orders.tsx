import type { JSX } from 'preact';
import type { Order } from '../../../client/src/contract.ts';
import { noteLengthMax, orderStatuses } from '../../../src/domain/order.ts';
import { hasScope } from '../api/session.ts';
import type { RowAction } from '../parts/actions.tsx';
import { Button } from '../parts/controls.tsx';
import { useDialog } from '../parts/dialog.tsx';
import { Empty, Status, StatusChoices } from '../parts/display.tsx';
import { SearchField } from '../parts/search-field.tsx';
import { addressOf, go, listQueries, route } from '../route.ts';
import { ListScreen } from '../tables/list-screen.tsx';
import type { Lookup } from '../tables/of-rows.ts';
import { type Column, numberColumn, Table } from '../tables/table.tsx';
import { animalName } from '../texts/animals.ts';
import { common, frame } from '../texts/common.ts';
import {
  cancelTexts,
  draftTexts,
  handOverTexts,
  orderName,
  reserveTexts,
  texts,
} from '../texts/orders.ts';
import { useAnimalNames } from './animal-names.ts';
import { EditOrder } from './edit-order.tsx';
import { CancelReservation, HandOver } from './order-dialogs.tsx';
import { firstLine, OrderDate } from './order-facts.tsx';
import { type OrderFilter, readFilter } from './order-filter.ts';
import { useOrderList } from './order-list.ts';
import { searchedAnimalsMax } from './order-search.ts';
import { PrintOrders } from './print-orders.tsx';
import { ReserveAnimal } from './reserve-animal.tsx';

export function Orders() {
  const filter = readFilter(listQueries.orders.value);
  const { status, search } = filter;
  const { list, hasManyAnimals } = useOrderList(filter);
  const names = useAnimalNames(list.rows.pagesInSight);
  const animalOf = (id: bigint) => animalName({ id, name: names.get(id) });
  const dialogFor = (order: Order) => ({ order, animal: animalOf(order.petId) });
  const { dialog, open } = useDialog({
    handOver: (order: Order) => <HandOver {...dialogFor(order)} />,
    cancel: (order: Order) => <CancelReservation {...dialogFor(order)} />,
    reserve: () => <ReserveAnimal />,
    edit: (order: Order) => <EditOrder {...dialogFor(order)} />,
  });
  const canWrite = hasScope('orders:write');

  function actionsOf(order: Order): readonly RowAction[] {
    if (!canWrite) return [];
    const { letters } = common;
    const edit = { text: common.edit, letter: letters.edit, is: 'edit' } as const;
    const change: RowAction = { ...edit, run: () => open('edit', order) };
    if (order.status !== 'pending') return [change];
    const handOver = {
      text: handOverTexts.action,
      letter: handOverTexts.letter,
      is: 'main',
    } as const;
    return [
      { ...handOver, run: () => open('handOver', order) },
      { text: cancelTexts.action, letter: cancelTexts.letter, run: () => open('cancel', order) },
      change,
    ];
  }

  return (
    <>
      <div class="toolbar">
        <StatusChoices
          values={orderStatuses}
          chosen={status}
          addressOf={(one) => addressOf('orders', { search, status: one })}
        />
        <div class="filters">
          <SearchField
            label={texts.search}
            text={search ?? ''}
            lengthMax={noteLengthMax}
            onSearch={(text) => {
              // Typed just before the page of an animal was opened.
              if (route.peek().screen !== 'orders') return;
              const now = Object.fromEntries(route.peek().query);
              go('orders', { ...now, search: text }, 'replaceState');
            }}
          />
        </div>
        <div class="actions">
          <PrintOrders {...{ list, filter, names }} />
          {canWrite && hasScope('pets:read') && (
            <Button kind="main" onClick={() => open('reserve')}>
              {reserveTexts.title}
            </Button>
          )}
        </div>
        {hasManyAnimals && <p role="status">{texts.manyAnimals(searchedAnimalsMax)}</p>}
      </div>
      <ListScreen
        list={list}
        kind="order"
        isCounted={(order) => status === undefined || order.status === status}
        empty={describeEmpty(filter)}
      >
        <Table
          list={list}
          label={frame.titles.orders}
          layout="orders"
          narrowLines="three"
          rowClass={(order) => (status === undefined || order.status === status ? '' : 'elsewhere')}
          columns={columnsOf(names)}
          nameOf={({ id, petId }) => orderName(id, animalOf(petId))}
          onOpen={canWrite ? (order) => open('edit', order) : undefined}
          actions={actionsOf}
        />
      </ListScreen>
      {dialog}
    </>
  );
}

function columnsOf(names: Lookup<string>): readonly Column<Order>[] {
  const leadsToAnimal = hasScope('pets:read');
  return [
    numberColumn,
    {
      heading: texts.animal,
      class: 'name',
      title: ({ petId }) => names.get(petId),
      cell: ({ id, petId }, tabIndex) => {
        const name = names.get(petId);
        const animal = (
          <>
            {name === undefined ? texts.animal : <bdi>{name}</bdi>}
            {` (${petId})`}
          </>
        );
        return (
          <>
            {leadsToAnimal ? (
              <a href={addressOf('animals', {}, petId)} tabIndex={tabIndex}>
                {animal}
              </a>
            ) : (
              animal
            )}{' '}
            <small class="short">{texts.orderNumber(id)}</small>
          </>
        );
      },
    },
    {
      heading: draftTexts.note,
      class: 'person',
      title: ({ note }) => note,
      cell: ({ note }) => note !== undefined && <bdi>{firstLine(note)}</bdi>,
    },
    { heading: texts.date, class: 'date', cell: (order) => <OrderDate order={order} /> },
    { heading: common.status, class: 'state', cell: Status },
  ];
}

function describeEmpty({ status, search }: OrderFilter): JSX.Element {
  if (search !== undefined) {
    return (
      <Empty title={texts.noMatch}>
        <p>
          <a href={addressOf('orders')}>{texts.showAll}</a>
        </p>
      </Empty>
    );
  }
  const title = status === undefined ? texts.none : texts.noneOfStatus(status);
  return (
    <Empty title={title}>
      <p>
        {texts.noneHint}
        <a href={addressOf('animals', { status: 'available' })}>{texts.showAvailable}</a>
      </p>
    </Empty>
  );
}
