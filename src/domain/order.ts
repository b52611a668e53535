import type { Command } from './database/command.ts';
import type { WithOrigin } from './event.ts';
import type { Page, PageRequest } from './page.ts';
import type { ChangedRecord } from './record.ts';
import type { Awaitable } from './values/awaitable.ts';
import { exactInteger } from './values/exact-json.ts';
import type { Int64 } from './values/int64.ts';

/** An order that is `pending` is open, and owns the status of its animal. The others have ended. */
export const orderStatuses = ['pending', 'shipped', 'cancelled'] as const;

export type OrderStatus = (typeof orderStatuses)[number];

export interface NewOrder {
  readonly petId: Int64;
  /** Milliseconds since 1970. */
  readonly shipDate?: number | undefined;
}

export interface Order extends NewOrder {
  readonly id: Int64;
  readonly status: OrderStatus;
}

/** What an order becomes; what is left out stays as it is. Members that never change may be told as they are. */
export interface OrderChanges {
  readonly petId?: Int64 | undefined;
  readonly complete?: boolean | undefined;
  readonly status?: OrderStatus | undefined;
  /** Milliseconds since 1970. */
  readonly shipDate?: number | undefined;
}

/** What `JSON.stringify` makes the JSON of an order of, members in the documented order. */
export function orderToJson({ id, petId, status, shipDate }: Order): object {
  return {
    id: exactInteger(id),
    petId: exactInteger(petId),
    // Each animal is unique.
    quantity: 1,
    status,
    complete: isComplete(status),
    shipDate: shipDate === undefined ? undefined : new Date(shipDate).toISOString(),
  };
}

export function isComplete(status: OrderStatus): boolean {
  return status === 'shipped';
}

/** Which orders a list is about. Absent members do not restrict it. */
export interface OrderFilter {
  readonly status?: OrderStatus | undefined;
  readonly petId?: Int64 | undefined;
  /** Distinct and ascending, so that equal filters are equal text. */
  readonly ids?: readonly Int64[] | undefined;
}

export interface OrderReads {
  /** The orders of one workspace that match, as they stood at one moment. */
  readOrderPage(workspaceId: Int64, request: PageRequest & OrderFilter): Awaitable<Page<Order>>;
  readOrder(workspaceId: Int64, id: Int64): Awaitable<Order | undefined>;
}

type OrderRefusal = 'no_such_order' | 'precondition_failed' | 'order_shipped';

export interface OrderCommands {
  /** Reserves an animal that is available: of any number who want it, one gets it. */
  createOrder: Command<
    WithOrigin & { readonly workspaceId: Int64; readonly order: NewOrder },
    Order,
    'no_such_workspace' | 'no_such_pet' | 'pet_not_available'
  >;
  /** Gives the order as it is then. Shipped, its animal is sold; where no date was given, it is `now`. */
  updateOrder: Command<
    ChangedRecord & { readonly changes: OrderChanges; readonly now: number },
    Order,
    | OrderRefusal
    | 'order_cancelled'
    | 'other_pet'
    | 'other_complete'
    /** A change does not cancel. */
    | 'cancelled_by_delete_only'
  >;
  /** Its animal is available again. Cancelling a cancelled order changes nothing. */
  cancelOrder: Command<ChangedRecord, null, OrderRefusal>;
}
