import type {
  CommandInput,
  CommandOutcome,
  CommandRefusal,
} from '../../domain/database/commands.ts';
import { faultsMax } from '../../domain/database/verification.ts';
import type { EventTypeOf } from '../../domain/event.ts';
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
import type { Queryable, Transaction } from '../queryable.ts';
import { recordColumns } from '../schema/record-columns.ts';
import { statement } from '../statement.ts';
import { type ChangeableKind, changeEach, type Decision, workspaceGone } from './change-records.ts';
import { lockWorkspace } from './change-workspace.ts';
import { pageStatements, selectPage, toPage } from './pages.ts';
import { petKind, readPets } from './pets.ts';
import { defineKind, type RecordChange, saveRecords } from './save.ts';

const { columns, select } = recordColumns<Order>('orders');

export const orderPages = pageStatements<Order>({
  table: 'orders',
  statuses: orderStatuses,
  parent: { column: 'pet_id', index: 'orders_by_pet' },
});

const selectOrder = select(`SELECT ${columns} FROM orders WHERE workspace_id = $1 AND id = $2`);

const selectOrders = select(
  `SELECT ${columns} FROM orders WHERE workspace_id = $1 AND id = ANY ($2::bigint[])`,
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

type OrderContent = Omit<Order, 'id'>;

/** Orders are never removed. */
const orderKind = defineKind<OrderContent, never>({
  table: 'orders',
  toJson: orderToJson,
  eventType: (before): EventTypeOf<'order'> =>
    before === undefined ? 'order.created' : 'order.updated',
});

/** The status that an animal gets from its order. */
const petStatusOf = {
  pending: 'pending',
  shipped: 'sold',
  cancelled: 'available',
} as const satisfies Record<OrderStatus, PetStatus>;

/** Saves orders, each with its animal if the order changes the status of it. `pets` are the animals as they were. */
async function saveOrders(
  transaction: Transaction,
  workspaceId: Int64,
  changes: readonly RecordChange<OrderContent, never>[],
  pets?: readonly Pet[],
) {
  const moved = changes.filter(({ before, after }) => after.status !== before?.status);
  const petIds = moved.map(({ after }) => after.petId);
  const known = pets ?? (await readPets(transaction, workspaceId, petIds));
  const petOf = new Map(known.map((pet) => [pet.id, pet]));
  const petChanges = changes.map(({ before: old, after: { petId, status }, origin }) => {
    const before = petOf.get(petId);
    if (before === undefined || status === old?.status) return undefined;
    return { before, after: { ...before, status: petStatusOf[status] }, origin };
  });
  const caused = { kind: petKind, changes: petChanges };
  return saveRecords(transaction, workspaceId, orderKind, changes, { caused });
}

/** Places orders in the order of their arrival: the first order for an animal gets it. */
async function createOrders(
  transaction: Transaction,
  inputs: readonly [CommandInput<'createOrder'>, ...CommandInput<'createOrder'>[]],
): Promise<readonly CommandOutcome<'createOrder'>[]> {
  const [{ workspaceId }] = inputs;
  if (!(await lockWorkspace(transaction, workspaceId))) return inputs.map(() => workspaceGone);
  const petIds = new Set(inputs.map(({ order }) => order.petId));
  const pets = await readPets(transaction, workspaceId, [...petIds]);
  const available = new Set(
    pets.filter(({ status }) => status === 'available').map(({ id }) => id),
  );
  const placed = inputs.filter(({ order }) => available.delete(order.petId));
  const changes = placed.map(
    ({ order, origin }) => ({ after: { ...order, status: 'pending' }, origin }) as const,
  );
  const saved =
    placed.length === 0 ? [] : await saveOrders(transaction, workspaceId, changes, pets);
  const orderOf = new Map(placed.map((input, index) => [input, saved?.[index]]));
  const existing = new Set(pets.map(({ id }) => id));
  return inputs.map((input) => {
    const ok = orderOf.get(input);
    if (ok !== undefined) return { ok };
    return { refused: existing.has(input.order.petId) ? 'pet_not_available' : 'no_such_pet' };
  });
}

const changeable: ChangeableKind<OrderContent, never> = {
  toJson: orderToJson,
  read: (transaction, workspaceId, ids) => transaction.all(selectOrders, [workspaceId, ids]),
  save: saveOrders,
};

function decideUpdate(
  old: Order,
  changes: OrderChanges,
  now: number,
): Decision<OrderContent, never, CommandOutcome<'updateOrder'>> {
  const refuse = (refused: CommandRefusal<'updateOrder'>) => ({ outcome: { refused } });
  const { petId = old.petId, status = old.status, complete } = changes;
  if (petId !== old.petId) return refuse('other_pet');
  // A request that ships an order may send the value before or after.
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
  createOrder: { runMany: createOrders },
  updateOrder: changeEach<'updateOrder', OrderContent, never>(changeable, {
    missing: noSuchOrder,
    decide: (old, { changes, now }) => decideUpdate(old, changes, now),
  }),
  cancelOrder: changeEach<'cancelOrder', OrderContent, never>(changeable, {
    missing: noSuchOrder,
    decide(old) {
      if (old.status === 'shipped') return { outcome: { refused: 'order_shipped' } };
      const outcome = { ok: null };
      if (old.status === 'cancelled') return { outcome };
      return { outcome, change: { after: { ...old, status: 'cancelled' } } };
    },
  }),
};

/** The longest time that a date can be from 1970, in milliseconds. */
const dateMax = 8_640_000_000_000_000;

// An open order owns the status of its animal, and a shipped order has a date.
const isLeftOpen = "orders.status = 'pending' AND coalesce(pets.status, '') <> 'pending'";
const isUndated = `(orders.status = 'shipped' AND ship_date IS NULL OR ship_date NOT BETWEEN -${dateMax} AND ${dateMax})`;

const selectFaults = statement<{ fault: string }>(`
  SELECT 'Order ' || orders.id || ' of workspace ' || workspaces.name || CASE WHEN ${isLeftOpen}
    THEN ' is open, and its animal is not pending' ELSE ' has no date, or an impossible one' END AS fault
  FROM orders JOIN workspaces ON workspaces.id = orders.workspace_id
    LEFT JOIN pets ON pets.workspace_id = orders.workspace_id AND pets.id = pet_id
  WHERE (${isLeftOpen}) OR ${isUndated}
  ORDER BY orders.workspace_id, orders.id LIMIT ${faultsMax}`);

/** A line for each order that breaks a rule of orders. */
export async function findOrderFaults(queryable: Queryable): Promise<readonly string[]> {
  return (await queryable.all(selectFaults)).map(({ fault }) => fault);
}
