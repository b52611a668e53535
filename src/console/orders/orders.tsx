import type { Order, OrderStatus } from '../../../client/src/contract.ts';
import { orderStatuses } from '../../domain/order.ts';
import { api } from '../api/api.ts';
import { parseInteger } from '../api/integer.ts';
import { Confirm, useDialog } from '../parts/dialog.tsx';
import { Empty, formatTime, Status, StatusChoices, Toolbar } from '../parts/display.tsx';
import { ListScreen, useRecordList } from '../parts/list-screen.tsx';
import { showNotice } from '../parts/notices.tsx';
import { type Column, numberColumn, Table } from '../parts/table.tsx';
import { addressOf, place } from '../parts/url-state.ts';
import { may } from '../session/session.ts';
import { common, frame } from '../texts/common.ts';
import { texts } from '../texts/orders.ts';
import { useAnimalNames } from './animal-names.ts';
import { PlaceOrder } from './place-order.tsx';

export function Orders() {
  const { query } = place.value;
  const status = orderStatuses.find((one) => one === query.get('status'));
  const petId = parseInteger(query.get('animal') ?? '');
  const animal = petId?.toString();
  const fits = (order: Order) =>
    (status === undefined || order.status === status) &&
    (petId === undefined || order.petId === petId);
  const list = useRecordList<Order>(
    `${status} ${animal}`,
    (signal) => api.orders.list({ status, petId, limit: 100 }, { signal }),
    (rows, { type, data, previous }) => {
      if (type !== 'order.created' && type !== 'order.updated') return;
      const before = type === 'order.created' ? undefined : (previous?.status ?? data.status);
      rows.changed(data);
      const isNew = status === undefined ? before === undefined : before !== data.status;
      if (isNew && fits(data)) rows.addedByOthers(data.id);
    },
  );
  const { dialog, open } = useDialog({
    add: () => (
      <PlaceOrder
        animal={animal}
        onAdded={(order) => {
          if (fits(order)) list.rows.added(order);
        }}
      />
    ),
    handOver: ({ id }: Order) => (
      <Confirm
        title={texts.handOverQuestion(id)}
        hint={texts.handOverHint}
        yes={texts.handOver}
        kind="main"
        act={async () => {
          list.rows.changed(await api.orders.update(id, { status: 'shipped' }));
          showNotice(texts.isHandedOver(id));
        }}
      />
    ),
    cancel: (order: Order) => (
      <Confirm
        title={texts.cancelQuestion(order.id)}
        hint={texts.cancelHint}
        yes={texts.cancelSubmit}
        act={async () => {
          await api.orders.cancel(order.id);
          list.rows.changed({ ...order, status: 'cancelled' });
          showNotice(texts.isCancelled(order.id));
        }}
      />
    ),
  });
  const names = useAnimalNames(list.rows.items, list.rows.version.value);
  const canWrite = may('orders:write');
  return (
    <>
      <Toolbar text={texts.place} isAllowed={canWrite} onClick={() => open('add')}>
        <StatusChoices
          statuses={orderStatuses}
          chosen={status}
          addressOf={(one) => addressOf('orders', { animal, status: one })}
        />
        {petId !== undefined && (
          <p>
            {texts.ordersFor(names.get(petId) ?? texts.animalNumber(petId))}
            <a href={addressOf('orders')}>{texts.showAll}</a>
          </p>
        )}
      </Toolbar>
      <ListScreen
        list={list}
        noun={texts.noun}
        empty={<NoOrders status={status} isOfAnimal={petId !== undefined} />}
      >
        <Table
          list={list}
          label={frame.titles.orders}
          layout="orders"
          rowClass={(order) => (status === undefined || order.status === status ? '' : 'elsewhere')}
          columns={columnsOf(names)}
          nameOf={({ id }) => texts.orderNumber(id)}
          actions={(order) =>
            canWrite && order.status === 'pending'
              ? [
                  [texts.handOver, () => open('handOver', order)],
                  [texts.cancel, () => open('cancel', order)],
                ]
              : []
          }
        />
      </ListScreen>
      {dialog}
    </>
  );
}

function columnsOf(names: ReadonlyMap<bigint, string>): readonly Column<Order>[] {
  return [
    numberColumn,
    {
      heading: texts.animal,
      class: 'name',
      cell: ({ id, petId }) => (
        <>
          {names.has(petId) ? <bdi>{names.get(petId)}</bdi> : texts.animal}
          {texts.inBrackets(petId)} <small class="short">{texts.orderNumber(id)}</small>
        </>
      ),
    },
    { heading: common.status, class: 'state', cell: Status },
    {
      heading: texts.handedOver,
      class: 'date',
      cell: ({ shipDate, complete }) => (shipDate && complete ? formatTime(shipDate) : ''),
    },
  ];
}

function NoOrders(props: {
  readonly status: OrderStatus | undefined;
  readonly isOfAnimal: boolean;
}) {
  const { status, isOfAnimal } = props;
  const title = status === undefined ? texts.none : texts.noneOfStatus(status);
  return (
    <Empty title={isOfAnimal ? texts.noneOfAnimal : title}>
      <p>
        {isOfAnimal && status === undefined ? texts.noneOfAnimalHint : texts.noneHint}
        <a href={addressOf('animals', { status: 'available' })}>{texts.showAvailable}</a>
      </p>
    </Empty>
  );
}
