import { useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import type { Order, Pet } from '../../../client/src/contract.ts';
import { isAnimalStoreError } from '../../../client/src/error.ts';
import { orderStatuses } from '../../domain/order.ts';
import { api } from '../api/api.ts';
import { parseInteger } from '../api/integer.ts';
import { listen } from '../api/live.ts';
import { createRecordList, type RecordList } from '../api/record-list.ts';
import { useAction, useIdempotencyKey } from '../parts/action.ts';
import { Confirm, Dialog, FormFooter, useWindow } from '../parts/dialog.tsx';
import { tell } from '../parts/notices.tsx';
import {
  Button,
  Choices,
  capitalize,
  Empty,
  Fault,
  Form,
  NewRecords,
  Status,
  TextField,
} from '../parts/parts.tsx';
import { Cell, Table } from '../parts/table.tsx';
import { addressOf, place } from '../parts/url-state.ts';
import { may } from '../session/session.ts';

type Window = { readonly is: 'add' } | { readonly is: 'ship' | 'cancel'; readonly order: Order };

export function Orders() {
  const wanted = place.value.query.get('status');
  const status = orderStatuses.find((one) => one === wanted);
  // Those of one animal, for whoever comes from its row.
  const petId = parseInteger(place.value.query.get('animal') ?? '');
  const animal = petId === undefined ? undefined : String(petId);
  const list = useMemo(
    () =>
      createRecordList<Order>((signal) =>
        api.orders.list({ status, petId, limit: 100 }, { signal }),
      ),
    [status, animal],
  );
  const { opened, open, close } = useWindow<Window>();
  const names = useNames(list.rows.items, list.rows.version.value);

  useEffect(() => {
    void list.loadMore();
    const leave = listen((heard) => {
      if (heard === 'reset') return void list.reload();
      const { type, data, previous } = heard.event;
      if (type !== 'order.created' && type !== 'order.updated') return;
      const before = type === 'order.created' ? undefined : (previous?.status ?? data.status);
      list.apply(() => {
        list.rows.changed(data);
        const fits = status === undefined ? before === undefined : data.status === status;
        if (petId !== undefined && petId !== data.petId) return;
        if (fits && before !== data.status) list.rows.addedByOthers(data.id);
      });
    });
    return () => {
      leave();
      list.stop();
    };
  }, [list]);

  const petName = (petId === undefined ? undefined : names.get(petId)) ?? `animal ${animal}`;
  const isEmpty = list.state.value === 'complete' && list.rows.items.length === 0;
  return (
    <>
      <div class="toolbar">
        <Choices
          label="Status"
          choices={[
            {
              text: 'All',
              address: addressOf('orders', { animal }),
              isChosen: status === undefined,
            },
            ...orderStatuses.map((one) => ({
              text: capitalize(one),
              address: addressOf('orders', { animal, status: one }),
              isChosen: status === one,
            })),
          ]}
        />
        {petId !== undefined && (
          <p>
            Orders for {petName}. <a href={addressOf('orders')}>Show all orders</a>
          </p>
        )}
        <div class="actions">
          {may('orders:write') && (
            <Button kind="main" onClick={() => open({ is: 'add' })}>
              Place an order
            </Button>
          )}
        </div>
      </div>
      <div class="list">
        <NewRecords
          count={list.rows.unseenCount.value}
          noun="order"
          onShow={() => void list.reload()}
        />
        {isEmpty ? (
          <Empty
            title={
              petId !== undefined
                ? 'No such order'
                : status === undefined
                  ? 'No orders yet'
                  : `No order is ${status}`
            }
          >
            <p>
              {petId !== undefined && status === undefined
                ? 'No order holds this animal. To sell it where it is pending, edit it and set it to available. '
                : 'An order reserves an animal for somebody until it is handed over or cancelled. '}
              <a href={addressOf('animals', { status: 'available' })}>Show what can be sold</a>
            </p>
          </Empty>
        ) : (
          <OrderTable list={list} status={status} nameOf={(id) => names.get(id)} onWindow={open} />
        )}
      </div>
      {opened?.is === 'add' && (
        <PlaceOrder
          animal={animal}
          onAdded={(order) => {
            const fits = status === undefined || order.status === status;
            if (fits && (petId === undefined || order.petId === petId)) list.rows.added(order);
          }}
          onClose={close}
        />
      )}
      {opened?.is === 'ship' && (
        <Confirm
          title={`Hand over order ${opened.order.id}?`}
          yes="Hand over"
          kind="main"
          act={async () => {
            list.rows.changed(await api.orders.update(opened.order.id, { status: 'shipped' }));
            tell(`Order ${opened.order.id} is handed over.`);
          }}
          onClose={close}
        >
          The animal becomes sold, and the order stays as shipped.
        </Confirm>
      )}
      {opened?.is === 'cancel' && (
        <Confirm
          title={`Cancel order ${opened.order.id}?`}
          yes="Cancel the order"
          act={async () => {
            await api.orders.cancel(opened.order.id);
            list.rows.changed({ ...opened.order, status: 'cancelled' });
            tell(`Order ${opened.order.id} is cancelled.`);
          }}
          onClose={close}
        >
          The animal becomes available again.
        </Confirm>
      )}
    </>
  );
}

function OrderTable(props: {
  readonly list: RecordList<Order>;
  readonly status: string | undefined;
  readonly nameOf: (petId: bigint) => string | undefined;
  readonly onWindow: (window: Window) => void;
}) {
  const { list, status, nameOf, onWindow } = props;
  const canWrite = may('orders:write');
  return (
    <Table
      label="Orders"
      layout="orders"
      columns={['Number', 'Animal', 'Status', 'Handed over', 'Actions']}
      rows={list.rows.items}
      idOf={({ id }) => id}
      listKey={`${status ?? ''} ${list.generation.value}`}
      state={list.state.value}
      message={list.message.value}
      onMore={() => void list.loadMore()}
      rowClass={(order) => (status === undefined || order.status === status ? '' : 'elsewhere')}
      cells={(order, isCurrent) => {
        const tabIndex = isCurrent ? 0 : -1;
        const name = nameOf(order.petId);
        return (
          <>
            <Cell class="number">{String(order.id)}</Cell>
            <Cell class="name">
              {name === undefined ? 'Animal' : <bdi>{name}</bdi>} ({String(order.petId)}){' '}
              <small class="short">order {String(order.id)}</small>
            </Cell>
            <Cell class="state">
              <Status status={order.status} />
            </Cell>
            <Cell class="date">
              {order.shipDate === undefined || !order.complete ? '' : formatDay(order.shipDate)}
            </Cell>
            <Cell class="row-actions">
              {canWrite && order.status === 'pending' && (
                <>
                  <Button
                    label={`Hand over order ${order.id}`}
                    tabIndex={tabIndex}
                    onClick={() => onWindow({ is: 'ship', order })}
                  >
                    Hand over
                  </Button>
                  <Button
                    label={`Cancel order ${order.id}`}
                    tabIndex={tabIndex}
                    onClick={() => onWindow({ is: 'cancel', order })}
                  >
                    Cancel
                  </Button>
                </>
              )}
            </Cell>
          </>
        );
      }}
    />
  );
}

function formatDay(time: string): string {
  return new Date(time).toLocaleDateString(undefined, { dateStyle: 'medium' });
}

/** Names of the animals of the orders, as they are now. */
function useNames(orders: readonly Order[], version: number): ReadonlyMap<bigint, string> {
  const names = useSignal<ReadonlyMap<bigint, string>>(new Map());
  const asked = useMemo(() => new Set<bigint>(), []);
  useEffect(
    () =>
      listen((heard) => {
        if (heard === 'reset' || heard.event.type !== 'pet.updated') return;
        const { id, name } = heard.event.data;
        if (asked.has(id)) names.value = new Map(names.peek()).set(id, name);
      }),
    [],
  );
  useEffect(() => {
    const ids = [...new Set(orders.map(({ petId }) => petId))].filter((id) => !asked.has(id));
    for (const id of ids) asked.add(id);
    for (let index = 0; index < ids.length; index += 100) {
      const query = { ids: ids.slice(index, index + 100), limit: 100 };
      void api.pets
        .list(query)
        .toArray({ max: 100 })
        .then(
          (pets) => {
            const more = pets.map(({ id, name }) => [id, name] as const);
            names.value = new Map([...names.peek(), ...more]);
          },
          // Without them, the numbers are shown until the next look.
          () => {
            for (const id of query.ids) asked.delete(id);
          },
        );
    }
  }, [orders, version]);
  return names.value;
}

function PlaceOrder(props: {
  /** The number of the one whose orders are shown. */
  readonly animal: string | undefined;
  readonly onAdded: (order: Order) => void;
  readonly onClose: () => void;
}) {
  const number = useSignal(props.animal ?? '');
  const fault = useSignal<string | undefined>(undefined);
  const pet = useSignal<Pet | undefined>(undefined);
  const idempotencyKey = useIdempotencyKey();
  useEffect(() => {
    pet.value = undefined;
    const id = parseInteger(number.value);
    if (id === undefined) return;
    const timer = setTimeout(() => {
      void api.pets
        .list({ ids: [id] })
        .toArray({ max: 1 })
        .then(
          ([found]) => {
            if (parseInteger(number.peek()) === id) pet.value = found;
          },
          () => {},
        );
    }, 200);
    return () => clearTimeout(timer);
  }, [number.value]);

  const save = useAction(async () => {
    const petId = parseInteger(number.peek());
    fault.value =
      petId === undefined
        ? 'Give the number of the animal as the list has it, such as 18.'
        : undefined;
    if (petId === undefined) return;
    try {
      const order = await api.orders.create({ petId }, { idempotencyKey: idempotencyKey.current });
      props.onAdded(order);
      tell(`Order ${order.id} is placed.`);
      props.onClose();
    } catch (error) {
      if (isAnimalStoreError(error, 'not_found'))
        fault.value = 'There is no animal with this number.';
      else if (isAnimalStoreError(error, 'pet_not_available')) {
        fault.value = 'This animal is not available.';
      } else throw error;
      save.throwIfLeft(`No order for animal ${petId}: ${fault.value}`);
    }
  });
  return (
    <Dialog
      title="Place an order"
      onClose={props.onClose}
      isBusy={save.isRunning}
      isDirty={number.value !== (props.animal ?? '')}
      mayLeave={save.isSlow}
    >
      <Form action={save}>
        <TextField
          label="Number of the animal"
          value={number.value}
          isNumber
          autofocus
          fault={fault.value}
          hint="It is in the list of animals, where “Reserve” places an order as well."
          onInput={(text) => {
            number.value = text;
            idempotencyKey.renew();
            fault.value = undefined;
          }}
        />
        <p role="status">
          {pet.value !== undefined && (
            <>
              {pet.value.name} <Status status={pet.value.status} />
            </>
          )}
        </p>
        <Fault message={save.fault} />
        <FormFooter action={save} text="Place the order" />
      </Form>
    </Dialog>
  );
}
