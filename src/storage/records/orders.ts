import type {
  CommandInput,
  CommandOutcome,
  CommandRefusal,
} from '../../domain/database/commands.ts';
import { faultsMax } from '../../domain/database/verification.ts';
import type { NewEvent } from '../../domain/event.ts';
import {
  isComplete,
  type Order,
  type OrderChanges,
  type OrderCommands,
  type OrderReads,
  type OrderStatus,
  orderStatuses,
  orderToJson,
} from '../../domain/order.ts';
import type { Pet, PetStatus } from '../../domain/pet.ts';
import { andThen } from '../../domain/values/awaitable.ts';
import type { Int64 } from '../../domain/values/int64.ts';
import type { CommandTable } from '../commands/command-table.ts';
import {
  appendEvents,
  countWithOrigin,
  type EventKind,
  eventsOf,
  type RecordChange,
} from '../feed/events.ts';
import type { Queryable, Transaction } from '../queryable.ts';
import type { TableRow } from '../schema/tables.ts';
import { statement } from '../statement.ts';
import { changeRecords, type Decision, type RecordKind } from './change-records.ts';
import { changeWorkspace, lockWorkspace } from './changes.ts';
import { pageStatements, selectPage, toPage } from './pages.ts';
import { petEvents, selectPets, setPetStatuses } from './pets.ts';

const columns = 'id, pet_id AS "petId", status, ship_date AS "shipDate"';

export const orderPages = pageStatements<Order>(
  {
    table: 'orders',
    columns,
    statuses: orderStatuses,
    parent: { column: 'pet_id', index: 'orders_by_pet' },
  },
  ['shipDate'],
);

const selectOrder = statement<Order>(
  `SELECT ${columns} FROM orders WHERE workspace_id = $1 AND id = $2`,
  ['shipDate'],
);

export function createOrderReads(queryable: Queryable): OrderReads {
  return {
    readOrderPage(workspaceId, { limit, belowId, status, petId: parent, ids }) {
      const filter = { status, parent, ids };
      return andThen(
        selectPage(queryable, orderPages, workspaceId, { limit, belowId }, filter),
        (rows) => toPage(rows, limit),
      );
    },
    readOrder: (workspaceId, id) =>
      andThen(queryable.all(selectOrder, [workspaceId, id]), ([order]) => order),
  };
}

/** Places orders in the order in which they came: who asks for an animal first gets it. */
async function createEach(
  transaction: Transaction,
  inputs: readonly CommandInput<'createOrder'>[],
): Promise<readonly CommandOutcome<'createOrder'>[]> {
  const outcomes = new Map<CommandInput<'createOrder'>, CommandOutcome<'createOrder'>>();
  for (const [workspaceId, own] of Map.groupBy(inputs, (input) => input.workspaceId)) {
    if (!(await lockWorkspace(transaction, workspaceId))) continue;
    const ids = [...new Set(own.map(({ order }) => order.petId))];
    const pets = await transaction.all(selectPets, [workspaceId, ids]);
    const petOf = new Map(pets.map((pet) => [pet.id, pet]));
    const placed = own.filter((input) => {
      const pet = petOf.get(input.order.petId);
      if (pet?.status === 'available') {
        petOf.set(pet.id, { ...pet, status: 'pending' });
        return true;
      }
      const refused = pet === undefined ? 'no_such_pet' : 'pet_not_available';
      outcomes.set(input, { refused });
      return false;
    });
    if (placed.length === 0) continue;
    const changed = await changeWorkspace(transaction, workspaceId, {
      ids: { orders: placed.length },
      counts: { available: -placed.length, pending: placed.length },
      eventCount: 2 * countWithOrigin(placed),
    });
    let id = changed?.firstIds.orders;
    if (changed === undefined || id === undefined) continue;
    const created: RecordChange<Order>[] = [];
    const rows: TableRow<'orders'>[] = [];
    for (const input of placed) {
      const { petId, shipDate } = input.order;
      const order: Order = { id, petId, status: 'pending', shipDate };
      rows.push(toRow(workspaceId, order));
      created.push({ before: undefined, after: order, origin: input.origin });
      outcomes.set(input, { ok: order });
      id += 1n;
    }
    appendEvents(transaction, workspaceId, changed, eventsWithPets(created, pets));
    const petIds = placed.map(({ order }) => order.petId);
    setPetStatuses(transaction, workspaceId, petIds, petStatusOf.pending);
    transaction.insert('orders', rows);
  }
  return inputs.map((input) => outcomes.get(input) ?? { refused: 'no_such_workspace' });
}

const orderEvents: EventKind<Order> = { name: 'order', toJson: orderToJson };

/** What the animal of an order becomes with it. */
const petStatusOf = {
  pending: 'pending',
  shipped: 'sold',
  cancelled: 'available',
} as const satisfies Record<OrderStatus, PetStatus>;

/** Each order, and then its animal where the order changed it. `pets` are those as they were. */
function eventsWithPets(
  changes: readonly RecordChange<Order>[],
  pets: readonly Pet[],
): readonly NewEvent[] {
  const petOf = new Map(pets.map((pet) => [pet.id, pet]));
  return changes.flatMap((change) => {
    const { after, origin } = change;
    const events = eventsOf(orderEvents, [change]);
    if (after === undefined || after.status === change.before?.status) return events;
    const before = petOf.get(after.petId);
    if (before === undefined) return events;
    const pet = { ...before, status: petStatusOf[after.status] };
    petOf.set(pet.id, pet);
    return [...events, ...eventsOf(petEvents, [{ before, after: pet, origin }])];
  });
}

function toRow(workspaceId: Int64, { id, petId, status, shipDate }: Order): TableRow<'orders'> {
  return { workspace_id: workspaceId, id, pet_id: petId, status, ship_date: shipDate ?? null };
}

const selectOrders = statement<Order>(
  {
    sqlite: `
      SELECT ${columns} FROM orders
      WHERE workspace_id = $1 AND id IN (SELECT value FROM json_each($2))`,
    postgres: `SELECT ${columns} FROM orders WHERE workspace_id = $1 AND id = ANY ($2::bigint[])`,
  },
  ['shipDate'],
);

const updateRow = statement(`
  UPDATE orders SET status = $3, ship_date = $4 WHERE workspace_id = $1 AND id = $2`);

const orderRecords: RecordKind<Order> = {
  ...orderEvents,
  read: (transaction, workspaceId, ids) => transaction.all(selectOrders, [workspaceId, ids]),
  async store(transaction, workspaceId, changes) {
    const ended = changes.flatMap(({ before, after }) =>
      after === undefined || after.status === before?.status ? [] : [after],
    );
    const idsOf = (status: OrderStatus) =>
      ended.filter((order) => order.status === status).map(({ petId }) => petId);
    const sold = idsOf('shipped');
    const available = idsOf('cancelled');
    const petIds = [...sold, ...available];
    const pets =
      petIds.length === 0 ? [] : await transaction.all(selectPets, [workspaceId, petIds]);
    const events = eventsWithPets(changes, pets);
    const changed = await changeWorkspace(transaction, workspaceId, {
      counts: { available: available.length, sold: sold.length, pending: -petIds.length },
      eventCount: events.length,
    });
    if (changed === undefined) return;
    appendEvents(transaction, workspaceId, changed, events);
    for (const { after } of changes) {
      if (after === undefined) continue;
      const { id, status, shipDate } = after;
      transaction.runDeferred(updateRow, [workspaceId, id, status, shipDate ?? null]);
    }
    setPetStatuses(transaction, workspaceId, sold, petStatusOf.shipped);
    setPetStatuses(transaction, workspaceId, available, petStatusOf.cancelled);
  },
};

function decideUpdate(
  old: Order,
  changes: OrderChanges,
  now: number,
): Decision<Order, CommandOutcome<'updateOrder'>> {
  const refuse = (refused: CommandRefusal<'updateOrder'>) => ({ outcome: { refused } });
  const { petId = old.petId, status = old.status, complete } = changes;
  if (petId !== old.petId) return refuse('other_pet');
  // Who ships an order may tell what it has been so far, or what it is from then on.
  const completes: readonly (boolean | undefined)[] = [
    undefined,
    isComplete(old.status),
    isComplete(status),
  ];
  if (!completes.includes(complete)) return refuse('other_complete');
  const isShipped = status === 'shipped' && old.status === 'pending';
  const shipDate = changes.shipDate ?? old.shipDate ?? (isShipped ? now : undefined);
  if (status === old.status && shipDate === old.shipDate) return { outcome: { ok: old } };
  if (old.status === 'shipped') return refuse('order_shipped');
  if (old.status === 'cancelled') return refuse('order_cancelled');
  if (status === 'cancelled') return refuse('cancelled_by_delete_only');
  const after = { ...old, status, shipDate };
  return { outcome: { ok: after }, change: { after } };
}

const noSuchOrder = { refused: 'no_such_order' } as const;

export const orderCommands: CommandTable<keyof OrderCommands> = {
  createOrder: { runMany: createEach },
  updateOrder: {
    runMany: (transaction, inputs) =>
      changeRecords<'updateOrder', Order>(transaction, inputs, orderRecords, {
        gone: noSuchOrder,
        missing: noSuchOrder,
        decide: (old, { changes, now }) => decideUpdate(old, changes, now),
      }),
  },
  cancelOrder: {
    runMany: (transaction, inputs) =>
      changeRecords<'cancelOrder', Order>(transaction, inputs, orderRecords, {
        gone: noSuchOrder,
        missing: noSuchOrder,
        decide(old) {
          if (old.status === 'shipped') return { outcome: { refused: 'order_shipped' } };
          const outcome = { ok: null };
          if (old.status === 'cancelled') return { outcome };
          return { outcome, change: { after: { ...old, status: 'cancelled' } } };
        },
      }),
  },
};

/** The longest time that a date can be from 1970, in milliseconds. */
const dateMax = 8_640_000_000_000_000;

// Behind what each order does: an open order owns the status of its animal, and a shipped one has a date.
const isLeftOpen = "orders.status = 'pending' AND coalesce(pets.status, '') <> 'pending'";
const isUndated = `(orders.status = 'shipped' AND ship_date IS NULL OR ship_date NOT BETWEEN -${dateMax} AND ${dateMax})`;

const selectFaults = statement<{ fault: string }>(`
  SELECT 'Order ' || orders.id || ' of workspace ' || workspaces.name || CASE WHEN ${isLeftOpen}
    THEN ' is open, and its animal is not pending' ELSE ' has no date, or an impossible one' END AS fault
  FROM orders JOIN workspaces ON workspaces.id = orders.workspace_id
    LEFT JOIN pets ON pets.workspace_id = orders.workspace_id AND pets.id = pet_id
  WHERE (${isLeftOpen}) OR ${isUndated}
  ORDER BY orders.workspace_id, orders.id LIMIT ${faultsMax}`);

/** A line for each order that is not as orders are. */
export async function findOrderFaults(queryable: Queryable): Promise<readonly string[]> {
  return (await queryable.all(selectFaults)).map(({ fault }) => fault);
}
