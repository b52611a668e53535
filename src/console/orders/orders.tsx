import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useMemo } from 'preact/hooks';
import type { Order, OrderStatus, Pet } from '../../../client/src/contract.ts';
import { isAnimalStoreError } from '../../../client/src/error.ts';
import { orderStatuses } from '../../domain/order.ts';
import { parseInteger } from '../api/integer.ts';
import { announceOwnChange, listen } from '../api/live.ts';
import { currentApi, hasScope } from '../api/session.ts';
import { TextField } from '../parts/controls.tsx';
import { Confirm, FormDialog, useDialog, useForm } from '../parts/dialog.tsx';
import { Empty, formatTime, Status, StatusChoices, Toolbar } from '../parts/display.tsx';
import { ListScreen, useRecordList } from '../parts/list-screen.tsx';
import { showNotice } from '../parts/notices.tsx';
import { type Column, numberColumn, Table } from '../parts/table.tsx';
import { addressOf, route } from '../route.ts';
import { common, frame } from '../texts/common.ts';
import { texts } from '../texts/orders.ts';

export function Orders() {
  const { query } = route.value;
  const status = orderStatuses.find((one) => one === query.get('status'));
  const petId = parseInteger(query.get('animal') ?? '');
  const animal = petId?.toString();
  const fits = (order: Order) =>
    (status === undefined || order.status === status) &&
    (petId === undefined || order.petId === petId);
  const list = useRecordList<Order>(
    `${status} ${animal}`,
    (signal) => currentApi().orders.list({ status, petId, limit: 100 }, { signal }),
    (rows, { type, data, previous }, isOwn) => {
      if (type !== 'order.created' && type !== 'order.updated') return;
      const before = type === 'order.created' ? undefined : (previous?.status ?? data.status);
      rows.changed(data);
      const isNew = status === undefined ? before === undefined : before !== data.status;
      if (!isNew || !fits(data)) return;
      if (isOwn) rows.added(data);
      else rows.addedByOthers(data.id);
    },
  );
  const { dialog, open } = useDialog({
    add: () => <PlaceOrder animal={animal} />,
    handOver: ({ id }: Order) => (
      <Confirm
        title={texts.handOverQuestion(id)}
        hint={texts.handOverHint}
        yes={texts.handOver}
        kind="main"
        act={async () => {
          const data = await currentApi().orders.update(id, { status: 'shipped' });
          announceOwnChange({ type: 'order.updated', data });
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
          await currentApi().orders.cancel(order.id);
          announceOwnChange({ type: 'order.updated', data: { ...order, status: 'cancelled' } });
          showNotice(texts.isCancelled(order.id));
        }}
      />
    ),
  });
  const names = useAnimalNames(list.rows.items, list.rows.version.value);
  const canWrite = hasScope('orders:write');
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
      <ListScreen list={list} noun={texts.noun} empty={describeEmpty(status, petId !== undefined)}>
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
                  { text: texts.handOver, run: () => open('handOver', order) },
                  { text: texts.cancel, run: () => open('cancel', order) },
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
          {` (${petId})`} <small class="short">{texts.orderNumber(id)}</small>
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

function describeEmpty(status: OrderStatus | undefined, isOfAnimal: boolean): JSX.Element {
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

function faultsOf({ number }: { readonly number: string }) {
  return { number: parseInteger(number) === undefined ? texts.petNumberFault : undefined };
}

function PlaceOrder(props: {
  /** The number of the animal whose orders are shown. */
  readonly animal: string | undefined;
}) {
  const { animal = '' } = props;
  const refusal = useSignal<string | undefined>(undefined);
  const form = useForm({ number: animal }, faultsOf, async ({ number }, idempotencyKey) => {
    const petId = parseInteger(number) ?? 0n;
    refusal.value = undefined;
    try {
      const order = await currentApi().orders.create({ petId }, { idempotencyKey });
      announceOwnChange({ type: 'order.created', data: order });
      showNotice(texts.placed(order.id));
      form.close();
    } catch (error) {
      if (isAnimalStoreError(error, 'not_found')) refusal.value = texts.petUnknown;
      else if (!isAnimalStoreError(error, 'pet_not_available')) throw error;
      else refusal.value = texts.petUnavailable;
      form.action.throwIfUnmounted(texts.notPlaced(petId, refusal.value));
    }
  });
  const { value, fault = refusal.value, onInput } = form.field('number');
  const pet = useAnimalOf(value);
  return (
    <FormDialog
      title={texts.place}
      action={form.action}
      submit={texts.placeSubmit}
      isDirty={value !== animal}
    >
      <TextField
        label={texts.petNumber}
        value={value}
        isNumber
        autofocus
        fault={fault}
        hint={texts.petNumberHint}
        onInput={(text) => {
          onInput(text);
          refusal.value = undefined;
        }}
      />
      <p role="status">
        {pet !== undefined && (
          <>
            {pet.name} <Status status={pet.status} />
          </>
        )}
      </p>
    </FormDialog>
  );
}

/** The animal of a number, a moment after the number was typed. */
function useAnimalOf(number: string): Pet | undefined {
  const pet = useSignal<Pet | undefined>(undefined);
  useEffect(() => {
    pet.value = undefined;
    const id = parseInteger(number);
    if (id === undefined) return;
    let isCurrent = true;
    const timer = setTimeout(async () => {
      const [found] = await currentApi()
        .pets.list({ ids: [id] })
        .toArray({ max: 1 })
        .catch(() => []);
      if (isCurrent) pet.value = found;
    }, 200);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [number]);
  return pet.value;
}

/** The current names of the animals of the orders. */
function useAnimalNames(orders: readonly Order[], version: number): ReadonlyMap<bigint, string> {
  const names = useSignal<ReadonlyMap<bigint, string>>(new Map());
  const requested = useMemo(() => new Set<bigint>(), []);
  useEffect(
    () =>
      listen((update) => {
        if (update === 'reset' || update.event.type !== 'pet.updated') return;
        const { id, name } = update.event.data;
        if (requested.has(id)) names.value = new Map(names.peek()).set(id, name);
      }),
    [],
  );
  useEffect(() => {
    const unknown = orders.map(({ petId }) => petId).filter((id) => !requested.has(id));
    const ids = [...new Set(unknown)];
    for (let start = 0; start < ids.length; start += 100) read(ids.slice(start, start + 100));
  }, [orders, version]);

  function read(ids: readonly bigint[]): void {
    for (const id of ids) requested.add(id);
    currentApi()
      .pets.list({ ids, limit: 100 })
      .toArray({ max: 100 })
      .then(
        (pets) => {
          const more = pets.map(({ id, name }) => [id, name] as const);
          names.value = new Map([...names.peek(), ...more]);
        },
        // The numbers are shown until the next attempt.
        () => {
          for (const id of ids) requested.delete(id);
        },
      );
  }

  return names.value;
}
