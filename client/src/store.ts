import type {
  Category,
  Inventory,
  NewCategory,
  NewOrder,
  NewPet,
  Order,
  OrderPatch,
  OrderStatus,
  Pet,
  PetPatch,
  PetStatus,
} from './contract.ts';
import { AnimalStoreError } from './error.ts';
import { createList, type List } from './list.ts';
import {
  type EventsAnswer,
  type EventsRequest,
  readEvents,
  type StoreEvent,
  type StreamOptions,
  streamEvents,
} from './stream.ts';
import {
  type AnimalStoreOptions,
  type Call,
  type CallOptions,
  createTransport,
  exactId,
  type Transport,
  type WriteOptions,
} from './transport.ts';

/** An id; a number must be exact. */
export type Id = bigint | number;

/** What a change demands of the record that it changes: the `etagOf` it, or the record itself as it was read. */
export interface ChangeOptions extends WriteOptions {
  readonly ifMatch?: string | object | undefined;
}

export interface PutOptions extends ChangeOptions {
  /** Only create: if the record exists, the call fails with `precondition_failed`. */
  readonly ifNoneMatch?: '*' | undefined;
}

export interface PetQuery {
  readonly status?: PetStatus | undefined;
  readonly categoryId?: Id | undefined;
  readonly ids?: readonly Id[] | undefined;
  /** A part of the name, in upper or lower case. */
  readonly name?: string | undefined;
  /** Of each page. */
  readonly limit?: number | undefined;
}

export interface OrderQuery {
  readonly status?: OrderStatus | undefined;
  readonly petId?: Id | undefined;
  readonly ids?: readonly Id[] | undefined;
  readonly limit?: number | undefined;
}

const etags = new WeakMap<object, string>();

/** The version of a record as this client read it: for `ifMatch`, also in another process. */
export function etagOf(record: object): string | undefined {
  return etags.get(record);
}

/** A client of one workspace of an animal store. */
export function createAnimalStore(options: AnimalStoreOptions) {
  const transport = createTransport(options);
  const pets = recordMethods<Pet, NewPet, PetPatch>(transport, '/pets');
  const categories = recordMethods<Category, NewCategory, NewCategory>(transport, '/categories');
  const orders = recordMethods<Order, NewOrder, OrderPatch>(transport, '/store/orders');
  return {
    pets: {
      /** Newest first. */
      list: ({ ids, ...query }: PetQuery = {}, own?: CallOptions) =>
        pets.list({ ...query, id: ids }, own),
      create: pets.create,
      /** @deprecated It is removed on 5 December 2030: use `list({ ids })`. */
      get: pets.get,
      /** @beta */
      update: pets.update,
      /** @beta */
      delete: pets.delete,
    },
    /** @beta */
    categories: {
      list: (query: { readonly limit?: number | undefined } = {}, own?: CallOptions) =>
        categories.list(query, own),
      create: categories.create,
      get: categories.get,
      /** Creates a category with this id, or replaces it. */
      put: categories.put,
      delete: categories.delete,
    },
    /** @beta */
    orders: {
      list: ({ ids, ...query }: OrderQuery = {}, own?: CallOptions) =>
        orders.list({ ...query, id: ids }, own),
      /** Of several buyers of one animal, one gets it; the others get `pet_not_available`. */
      create: orders.create,
      get: orders.get,
      update: orders.update,
      cancel: orders.delete,
    },
    /** @beta */
    inventory: {
      count: (own?: CallOptions) =>
        ask<Inventory>(transport, { method: 'GET', path: '/store/inventory', options: own }),
    },
    /** @beta */
    events: {
      /** Events after a position: at once, or when there are some, for as long as `wait` says. */
      list: (request: EventsRequest = {}): Promise<EventsAnswer> => readEvents(transport, request),
      /** Events as they happen, over as many connections as necessary. */
      stream: (own: StreamOptions = {}): AsyncGenerator<StoreEvent, void, undefined> =>
        streamEvents(transport, own),
    },
  };
}

/** The calls for the records of one path. Not every kind of record has all. */
function recordMethods<Item extends object, New, Change>(transport: Transport, path: string) {
  const at = (id: Id) => `${path}/${exactId(id)}`;
  return {
    list: (query: Call['query'], options?: CallOptions): List<Item> =>
      createList(transport, { method: 'GET', path, query, options }),
    create: (body: New, own?: WriteOptions) =>
      ask<Item>(transport, { method: 'POST', path, body, options: own }),
    get: async (id: Id, own?: CallOptions) =>
      ask<Item>(transport, { method: 'GET', path: at(id), options: own }),
    update: async (id: Id, body: Change, own?: ChangeOptions) =>
      ask<Item>(transport, change('PATCH', at(id), body, own)),
    put: async (id: Id, body: Change, own?: PutOptions) =>
      ask<Item>(transport, change('PUT', at(id), body, own)),
    async delete(id: Id, own?: ChangeOptions): Promise<void> {
      await transport.call(change('DELETE', at(id), undefined, own));
    },
  };
}

async function ask<Value extends object>(transport: Transport, call: Call): Promise<Value> {
  const { value, headers } = await transport.call(call);
  if (typeof value !== 'object' || value === null) {
    throw new AnimalStoreError('unexpected_response', 'The answer is no record');
  }
  const etag = headers.get('etag');
  if (etag !== null) etags.set(value, etag);
  return value as Value;
}

/** A change of one record, which may be demanded to be as it was read. */
function change(method: Call['method'], path: string, body: unknown, own?: PutOptions): Call {
  const headers = { 'if-match': demandOf(own), 'if-none-match': own?.ifNoneMatch };
  return { method, path, body, headers, options: own };
}

function demandOf(own: ChangeOptions = {}): string | undefined {
  if (!('ifMatch' in own)) return undefined;
  const { ifMatch } = own;
  const etag = typeof ifMatch === 'object' ? etagOf(ifMatch) : ifMatch;
  if (etag !== undefined) return etag;
  // Without it, every version of the record would be changed.
  throw new TypeError(
    'ifMatch has no version: give what get, create or update gave, and no item of a list or copy; update(id, {}) gives one',
  );
}

export type AnimalStore = ReturnType<typeof createAnimalStore>;
