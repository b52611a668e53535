import type { Command } from './command.ts';
import type { Page, PageRequest } from './page.ts';
import type { ChangeInput, RecordInput } from './record.ts';
import type { Awaitable } from './values/awaitable.ts';
import type { Context } from './values/context.ts';
import { exactInteger } from './values/exact-json.ts';
import type { Int64 } from './values/int64.ts';

/** The maximum length of a note, in code points. */
export const noteLengthMax = 1000;

/** A `pending` order is open and owns the status of its animal. The others are closed. */
export const orderStatuses = ['pending', 'shipped', 'cancelled'] as const;

export type OrderStatus = (typeof orderStatuses)[number];

export interface NewOrder {
  readonly petId: Int64;
  /** Milliseconds since 1970. */
  readonly shipDate?: number | undefined;
  /** Personal data, such as the name of a customer. */
  readonly note?: string | undefined;
}

export interface Order extends NewOrder {
  readonly id: Int64;
  readonly status: OrderStatus;
}

/** Changes of an order. Absent members keep their values. `petId` must have its current value, `complete` the value before or after. */
interface OrderChanges {
  readonly petId?: Int64 | undefined;
  readonly complete?: boolean | undefined;
  readonly status?: OrderStatus | undefined;
  /** Milliseconds since 1970. */
  readonly shipDate?: number | undefined;
  /** `null` removes the note. A note can change in every state of the order. */
  readonly note?: string | null | undefined;
}

/** An order for `JSON.stringify`, with its members in the documented order. */
export function orderToJson({ id, petId, status, shipDate, note }: Order): object {
  return {
    id: exactInteger(id),
    petId: exactInteger(petId),
    // Each animal is unique.
    quantity: 1,
    status,
    complete: isComplete(status),
    shipDate: shipDate === undefined ? undefined : new Date(shipDate).toISOString(),
    note,
  };
}

/** An order as its events contain it. Events are kept and sent to others, so they never contain a note. */
export function orderToEventJson({ note: _note, ...order }: Order): object {
  return orderToJson(order);
}

export function isComplete(status: OrderStatus): boolean {
  return status === 'shipped';
}

/** The orders of a list. Absent members do not restrict it. */
export interface OrderFilter {
  readonly status?: OrderStatus | undefined;
  /** Distinct and ascending, so that equal filters are equal text. Not empty. */
  readonly petIds?: readonly Int64[] | undefined;
  /** Like `petIds`. */
  readonly ids?: readonly Int64[] | undefined;
  /** A part of the note. */
  readonly note?: string | undefined;
}

export interface OrderReads {
  /**
   * The matching orders of one workspace at one moment. A search by note reads a limited number of orders in several statements.
   * Its page may have fewer items than its limit, even none, and still a next page.
   */
  readOrderPage(
    context: Context,
    workspaceId: Int64,
    request: PageRequest & OrderFilter,
  ): Awaitable<Page<Order>>;
  readOrder(context: Context, workspaceId: Int64, id: Int64): Awaitable<Order | undefined>;
}

type OrderRefusal = 'no_such_order' | 'precondition_failed' | 'order_shipped';

export interface OrderCommands {
  /** Reserves an available animal. If several clients order it, exactly one gets it. */
  createOrder: Command<
    RecordInput & { readonly order: NewOrder },
    Order,
    'no_such_workspace' | 'no_such_pet' | 'pet_not_available'
  >;
  /** Returns the changed order. A shipped order makes its animal `sold`, and its date is `now` unless given. */
  updateOrder: Command<
    ChangeInput & { readonly changes: OrderChanges; readonly now: number },
    Order,
    | OrderRefusal
    | 'order_cancelled'
    | 'other_pet'
    | 'other_complete'
    /** A change cannot cancel an order. */
    | 'cancelled_by_delete_only'
  >;
  /** Makes its animal available again. Cancelling a cancelled order changes nothing. */
  cancelOrder: Command<ChangeInput, null, OrderRefusal>;
}
