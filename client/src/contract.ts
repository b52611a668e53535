// Made by `npm run openapi` of the declarations of the service. Do not edit.

export const operationIds = [
  'listPets',
  'createPet',
  'getPet',
  'updatePet',
  'deletePet',
  'listCategories',
  'createCategory',
  'getCategory',
  'putCategory',
  'deleteCategory',
  'listOrders',
  'createOrder',
  'getOrder',
  'updateOrder',
  'cancelOrder',
  'countInventory',
  'listEvents',
  'streamEvents',
] as const;

export type OperationId = (typeof operationIds)[number];

/** Codes of errors; new ones may be added. */
export const errorCodes = [
  'invalid_json',
  'invalid_body',
  'invalid_parameter',
  'invalid_cursor',
  'invalid_header',
  'unknown_field',
  'missing_api_key',
  'invalid_api_key',
  'insufficient_scope',
  'forbidden_origin',
  'not_found',
  'route_not_found',
  'method_not_allowed',
  'conflict',
  'pet_not_available',
  'idempotency_in_progress',
  'operation_removed',
  'cursor_expired',
  'precondition_failed',
  'content_too_large',
  'unsupported_media_type',
  'idempotency_key_reused',
  'rate_limited',
  'internal_error',
  'unavailable',
  'outcome_unknown',
] as const;

export type ErrorCode = (typeof errorCodes)[number];

/** Types of events; new ones may be added. */
export const eventTypes = [
  'pet.created',
  'pet.updated',
  'pet.deleted',
  'order.created',
  'order.updated',
  'category.created',
  'category.updated',
  'category.deleted',
  'feed.reset',
] as const;

export type EventType = (typeof eventTypes)[number];

/** Members that are integers of 64 bits: bigints in answers. */
export const int64Fields = [
  'categoryId',
  'id',
  'petId',
  'quantity',
  'available',
  'pending',
  'sold',
  'sequence',
] as const;

/** States of orders; new ones may be added. */
export type OrderStatus = 'pending' | 'shipped' | 'cancelled';

/** Availability of the animal. */
export type PetStatus = 'available' | 'pending' | 'sold';

/** An animal to add. The default `status` is `available`. */
export interface NewPet {
  /** The name of the animal: 1 to 255 code points, not all white space, no control characters. Stored as sent. */
  readonly name: string;
  /** The category the animal belongs to: any 64-bit integer, stored exactly. The category need not exist. */
  readonly categoryId: bigint | number;
  readonly status?: PetStatus | undefined;
}

/** Changes of an animal, as a JSON Merge Patch (RFC 7396). What is left out stays as it is; no member may be `null`. A change that is not `{}` has at least one of `name`, `categoryId`, `status`. */
export interface PetPatch {
  /** May be sent, and must then be that of the path. */
  readonly id?: bigint | number | undefined;
  /** The name of the animal: 1 to 255 code points, not all white space, no control characters. Stored as sent. */
  readonly name?: string | undefined;
  /** The category the animal belongs to: any 64-bit integer, stored exactly. The category need not exist. */
  readonly categoryId?: bigint | number | undefined;
  readonly status?: PetStatus | undefined;
}

/** A category to add. Names need not be unique. */
export interface NewCategory {
  /** The name of the category: 1 to 255 code points, not all white space, no control characters. Stored as sent. */
  readonly name: string;
  /** What the category is: at most 1000 code points, no control characters but tabs and line ends. Stored as sent. */
  readonly description?: string | undefined;
}

/** A category as it is to be. Without a `description` it has none. */
export interface CategoryReplacement {
  /** May be sent, and must then be that of the path. */
  readonly id?: bigint | number | undefined;
  /** The name of the category: 1 to 255 code points, not all white space, no control characters. Stored as sent. */
  readonly name: string;
  /** What the category is: at most 1000 code points, no control characters but tabs and line ends. Stored as sent. */
  readonly description?: string | undefined;
}

/** An order to place, for one animal that is `available`. */
export interface NewOrder {
  /** The `id` of the animal. */
  readonly petId: bigint | number;
  /** Always 1: each animal is unique. */
  readonly quantity?: bigint | number | undefined;
  /** When the animal is or was handed over: a date and time with an offset (RFC 3339). Given back in UTC with milliseconds. */
  readonly shipDate?: string | undefined;
}

/** Changes of an order, as a JSON Merge Patch (RFC 7396). What is left out stays as it is; no member may be `null`. A change that is not `{}` has at least one of these members beside `id`. */
export interface OrderPatch {
  /** May be sent, and must then be as it is. */
  readonly id?: bigint | number | undefined;
  /** May be sent, and must then be as it is. */
  readonly petId?: bigint | number | undefined;
  /** Always 1: each animal is unique. */
  readonly quantity?: bigint | number | undefined;
  /** A `pending` order becomes `shipped`. It is cancelled by `DELETE` only. */
  readonly status?: 'pending' | 'shipped' | 'cancelled' | undefined;
  /** May be sent, and must then be as it is before or after the change. */
  readonly complete?: boolean | undefined;
  /** When the animal is or was handed over: a date and time with an offset (RFC 3339). Given back in UTC with milliseconds. */
  readonly shipDate?: string | undefined;
}

/** An animal in the catalogue. */
export interface Pet {
  /** Assigned by the service; increasing, never reused, at most 2^53 - 1. */
  readonly id: bigint;
  /** The name of the animal: 1 to 255 code points, not all white space, no control characters. Stored as sent. */
  readonly name: string;
  /** The category the animal belongs to: any 64-bit integer, stored exactly. The category need not exist. */
  readonly categoryId: bigint;
  readonly status: PetStatus;
}

/** The meaning of a `categoryId`. */
export interface Category {
  /** Assigned by the service, then at most 2^53 - 1, or chosen by a client: any 64-bit integer. */
  readonly id: bigint;
  /** The name of the category: 1 to 255 code points, not all white space, no control characters. Stored as sent. */
  readonly name: string;
  /** What the category is: at most 1000 code points, no control characters but tabs and line ends. Stored as sent. */
  readonly description?: string | undefined;
}

/** An order for one animal. */
export interface Order {
  /** Assigned by the service; increasing, never reused, at most 2^53 - 1. */
  readonly id: bigint;
  /** The `id` of the animal. */
  readonly petId: bigint;
  /** Always 1: each animal is unique. */
  readonly quantity: bigint;
  /** State of the order: `pending`, `shipped`, `cancelled`. New values may be added. */
  readonly status: OrderStatus | (string & {});
  /** Whether the order is shipped. */
  readonly complete: boolean;
  /** When the animal is or was handed over: a date and time with an offset (RFC 3339). Given back in UTC with milliseconds. */
  readonly shipDate?: string | undefined;
}

/** How many animals there are of each status. */
export interface Inventory {
  /** Animals that are `available`. */
  readonly available: bigint;
  /** Animals that are `pending`. */
  readonly pending: bigint;
  /** Animals that are `sold`. */
  readonly sold: bigint;
}

/** A change of a record. Its bytes are the same in every list and stream. `data` is the record after the change or, if it was deleted, before. It is empty in `feed.reset`. Only `updated` events have `previous`: the changed members as they were before, `null` for a member that was absent. */
export interface EventEnvelope {
  /** Unique, also among the events of other workspaces and of restored data. */
  readonly id: string;
  /** Place in the feed of the workspace: from 1 up without a gap, in the order of the changes. It is also the position after the event. */
  readonly sequence: bigint;
  /** When the request came that changed the record: UTC with milliseconds. */
  readonly timestamp: string;
  /** The `X-Request-Id` of that request. Absent from `feed.reset`. */
  readonly requestId?: string | undefined;
}

/** The record in an event of each type. */
export interface EventData {
  readonly 'pet.created': Pet;
  readonly 'pet.updated': Pet;
  readonly 'pet.deleted': Pet;
  readonly 'order.created': Order;
  readonly 'order.updated': Order;
  readonly 'category.created': Category;
  readonly 'category.updated': Category;
  readonly 'category.deleted': Category;
  readonly 'feed.reset': Record<string, never>;
}
