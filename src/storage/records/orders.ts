import {
  isComplete,
  type Order,
  type OrderCommands,
  type OrderReads,
  type OrderStatus,
  orderStatuses,
  orderToEventJson,
  orderToJson,
} from '../../domain/order.ts';
import type { PageRequest } from '../../domain/page.ts';
import type { Pet, PetStatus } from '../../domain/pet.ts';
import { andThen } from '../../domain/values/awaitable.ts';
import type { CommandTable } from '../commands/command-table.ts';
import type { CommandInput, CommandOutcome } from '../contract/command-writer.ts';
import { faultsMax } from '../contract/verification.ts';
import type { Transaction } from '../queryable.ts';
import { type FaultStatement, statement } from '../statement.ts';
import type { Within } from '../within.ts';
import { changeEach, type Decision, noSuchWorkspace } from './change-records.ts';
import { pageStatements, selectPage, toPage } from './pages.ts';
import { petKind, petTable } from './pets.ts';
import { newId, type RecordChange, type RecordKind, recordTable } from './record-kind.ts';
import { withDigest } from './row-digest.ts';
import { saveRecords } from './save.ts';
import { searchPage } from './search-page.ts';
import { lockWorkspace } from './workspace-row.ts';

const orderTable = recordTable<Order>('orders');

const pet = { column: 'pet_id', index: 'orders_by_pet' };

export const orderPages = pageStatements(orderTable, orderStatuses, pet, '-id');

export function createOrderReads(within: Within): OrderReads {
  return {
    readOrderPage(context, workspaceId, { limit, afterId, status, petIds: parents, ids, note }) {
      const filter = { status, parents, ids };
      const read = (request: PageRequest) =>
        selectPage(within(context), orderPages, workspaceId, request, filter);
      return note === undefined
        ? andThen(read({ limit, afterId }), (rows) => toPage(rows, limit))
        : searchPage(context, { limit, afterId }, read, (order) => order.note, note);
    },
    readOrder: (context, workspaceId, id) => orderTable.readById(within(context), workspaceId, id),
  };
}

/** The status that an animal gets from its order. */
const petStatusOf = {
  pending: 'pending',
  shipped: 'sold',
  cancelled: 'available',
} as const satisfies Record<OrderStatus, PetStatus>;

/** Gives an animal the status of its order, if that changes. `pets` are the animals as they were. */
function causePetChanges(changes: readonly RecordChange<Order>[], pets: readonly Pet[]) {
  const petOf = new Map(pets.map((pet) => [pet.id, pet]));
  const petChanges = changes.map(({ before: old, after: order, origin }) => {
    const before = order && petOf.get(order.petId);
    if (before === undefined || order === undefined) return undefined;
    if (order.status === old?.status) return undefined;
    return { before, after: { ...before, status: petStatusOf[order.status] }, origin };
  });
  return { kind: petKind, changes: petChanges };
}

const orderKind: RecordKind<Order> = {
  ...orderTable,
  toRow: (workspaceId, order) => withDigest('orders', { ...order, workspaceId }),
  toJson: orderToJson,
  toEventJson: orderToEventJson,
  eventType: (before) => (before === undefined ? 'order.created' : 'order.updated'),
  async findCaused(transaction, workspaceId, changes) {
    const moved = changes.filter(({ before, after }) => after?.status !== before?.status);
    const petIds = moved.flatMap(({ after }) => after?.petId ?? []);
    return causePetChanges(changes, await petTable.readByIds(transaction, workspaceId, petIds));
  },
};

/** Places orders in the order of their arrival: the first order for an animal gets it. */
async function createOrders(
  transaction: Transaction,
  inputs: readonly [CommandInput<'createOrder'>, ...CommandInput<'createOrder'>[]],
): Promise<readonly CommandOutcome<'createOrder'>[]> {
  const [{ workspaceId }] = inputs;
  if (!(await lockWorkspace(transaction, workspaceId))) return inputs.map(() => noSuchWorkspace);
  const petIds = new Set(inputs.map(({ order }) => order.petId));
  const pets = await petTable.readByIds(transaction, workspaceId, [...petIds]);
  const available = new Set(
    pets.filter(({ status }) => status === 'available').map(({ id }) => id),
  );
  const placed = inputs.filter(({ order }) => available.delete(order.petId));
  const changes = placed.map(({ order, origin }) => {
    const after: Order = { ...order, id: newId, status: 'pending' };
    return { after, origin };
  });
  const caused = causePetChanges(changes, pets);
  const saved =
    placed.length === 0
      ? []
      : await saveRecords(transaction, workspaceId, orderKind, changes, { caused });
  const orderOf = new Map(placed.map((input, index) => [input, saved?.[index]]));
  const existing = new Set(pets.map(({ id }) => id));
  return inputs.map((input) => {
    const ok = orderOf.get(input);
    if (ok !== undefined) return { ok };
    return { refused: existing.has(input.order.petId) ? 'pet_not_available' : 'no_such_pet' };
  });
}

function decideUpdate(
  old: Order,
  { changes, now }: CommandInput<'updateOrder'>,
): Decision<'updateOrder', Order> {
  const { petId = old.petId, status = old.status, complete } = changes;
  if (petId !== old.petId) return { refused: 'other_pet' };
  // A request that ships an order may send the value before or after.
  const completes: readonly (boolean | undefined)[] = [
    undefined,
    isComplete(old.status),
    isComplete(status),
  ];
  if (!completes.includes(complete)) return { refused: 'other_complete' };
  const isShipped = status === 'shipped' && old.status === 'pending';
  const shipDate = changes.shipDate ?? old.shipDate ?? (isShipped ? now : undefined);
  const note = changes.note === undefined ? old.note : (changes.note ?? undefined);
  if (status !== old.status || shipDate !== old.shipDate) {
    if (old.status === 'shipped') return { refused: 'order_shipped' };
    if (old.status === 'cancelled') return { refused: 'order_cancelled' };
    if (status === 'cancelled') return { refused: 'cancelled_by_delete_only' };
  } else if (note === old.note) return { ok: old, after: old };
  const after = { ...old, status, shipDate, note };
  return { ok: after, after };
}

export const orderCommands: CommandTable<keyof OrderCommands> = {
  createOrder: { keepsAccess: true, runMany: createOrders },
  updateOrder: changeEach<'updateOrder', Order>(orderKind, {
    missing: 'no_such_order',
    decide: decideUpdate,
  }),
  cancelOrder: changeEach<'cancelOrder', Order>(orderKind, {
    missing: 'no_such_order',
    decide(old) {
      if (old.status === 'shipped') return { refused: 'order_shipped' };
      const isCancelled = old.status === 'cancelled';
      return { ok: null, after: isCancelled ? old : { ...old, status: 'cancelled' } };
    },
  }),
};

/** The longest time that a date can be from 1970, in milliseconds. */
const dateMax = 8_640_000_000_000_000;

// An open order owns the status of its animal, and a shipped order has a date.
const isLeftOpen = "orders.status = 'pending' AND coalesce(pets.status, '') <> 'pending'";
const isUndated = `(orders.status = 'shipped' AND ship_date IS NULL OR ship_date NOT BETWEEN -${dateMax} AND ${dateMax})`;

/** A line for each order that breaks a rule of orders. */
export const orderFaults: FaultStatement = statement(`
  SELECT 'Order ' || orders.id || ' of workspace ' || workspaces.name || CASE WHEN ${isLeftOpen}
    THEN ' is open, and its animal is not pending' ELSE ' has no date, or an impossible one' END AS fault
  FROM orders JOIN workspaces ON workspaces.id = orders.workspace_id
    LEFT JOIN pets ON pets.workspace_id = orders.workspace_id AND pets.id = pet_id
  WHERE (${isLeftOpen}) OR ${isUndated}
  ORDER BY orders.workspace_id, orders.id LIMIT ${faultsMax}`);
