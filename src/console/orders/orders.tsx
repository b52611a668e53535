import type { Order } from '../../../client/src/contract.ts';
import { orderStatuses } from '../../domain/order.ts';
import { api } from '../api/api.ts';
import { parseInteger } from '../api/integer.ts';
import { Confirm, useDialog } from '../parts/dialog.tsx';
import { Choices, capitalize, Empty, Toolbar } from '../parts/display.tsx';
import { ListScreen, useRecordList } from '../parts/list-screen.tsx';
import { showNotice } from '../parts/notices.tsx';
import { addressOf, place } from '../parts/url-state.ts';
import { may } from '../session/session.ts';
import { common } from '../texts/common.ts';
import { texts } from '../texts/orders.ts';
import { useAnimalNames } from './animal-names.ts';
import { OrderTable } from './order-table.tsx';
import { PlaceOrder } from './place-order.tsx';

type Status = (typeof orderStatuses)[number] | undefined;

type OpenDialog =
  | { readonly is: 'add' }
  | { readonly is: 'ship' | 'cancel'; readonly order: Order };

export function Orders() {
  const { query } = place.value;
  const status = orderStatuses.find((one) => one === query.get('status'));
  const petId = parseInteger(query.get('animal') ?? '');
  const animal = petId === undefined ? undefined : String(petId);
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
  const { opened, open, close } = useDialog<OpenDialog>();
  const names = useAnimalNames(list.rows.items, list.rows.version.value);
  const petName =
    (petId === undefined ? undefined : names.get(petId)) ?? texts.animalNumber(animal);
  return (
    <>
      <Toolbar
        text={texts.place}
        isAllowed={may('orders:write')}
        onClick={() => open({ is: 'add' })}
      >
        <Choices
          label={common.status}
          choices={[undefined, ...orderStatuses].map((one) => ({
            text: one === undefined ? common.all : capitalize(one),
            address: addressOf('orders', { animal, status: one }),
            isChosen: status === one,
          }))}
        />
        {petId !== undefined && (
          <p>
            {texts.ordersFor(petName)}
            <a href={addressOf('orders')}>{texts.showAll}</a>
          </p>
        )}
      </Toolbar>
      <ListScreen
        list={list}
        noun={texts.noun}
        empty={<NoOrders status={status} isOfAnimal={petId !== undefined} />}
      >
        <OrderTable
          list={list}
          status={status}
          nameOf={(id) => names.get(id)}
          onHandOver={(order) => open({ is: 'ship', order })}
          onCancel={(order) => open({ is: 'cancel', order })}
        />
      </ListScreen>
      {opened?.is === 'add' && (
        <PlaceOrder
          animal={animal}
          onAdded={(order) => {
            if (fits(order)) list.rows.added(order);
          }}
          onClose={close}
        />
      )}
      {opened?.is === 'ship' && (
        <Confirm
          title={texts.handOverQuestion(opened.order.id)}
          yes={texts.handOver}
          kind="main"
          act={async () => {
            list.rows.changed(await api.orders.update(opened.order.id, { status: 'shipped' }));
            showNotice(texts.isHandedOver(opened.order.id));
          }}
          onClose={close}
        >
          {texts.handOverHint}
        </Confirm>
      )}
      {opened?.is === 'cancel' && (
        <Confirm
          title={texts.cancelQuestion(opened.order.id)}
          yes={texts.cancelSubmit}
          act={async () => {
            await api.orders.cancel(opened.order.id);
            list.rows.changed({ ...opened.order, status: 'cancelled' });
            showNotice(texts.isCancelled(opened.order.id));
          }}
          onClose={close}
        >
          {texts.cancelHint}
        </Confirm>
      )}
    </>
  );
}

function NoOrders(props: { readonly status: Status; readonly isOfAnimal: boolean }) {
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
