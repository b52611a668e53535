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
  return {
    pets: petMethods(transport),
    /** @beta */
    categories: categoryMethods(transport),
    /** @beta */
    orders: orderMethods(transport),
    /** @beta */
    inventory: {
      count: (own?: CallOptions) =>
        ask<Inventory>(transport, { method: 'GET', path: '/store/inventory', options: own }),
    },
    /** @beta */
    events: {
      /** What came after a position: at once, or when there is something, for as long as `wait` says. */
      list: (request: EventsRequest = {}): Promise<EventsAnswer> => readEvents(transport, request),
      /** Events as they happen, over as many connections as it takes. */
      stream: (own: StreamOptions = {}): AsyncGenerator<StoreEvent, void, undefined> =>
        streamEvents(transport, own),
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

function petMethods(transport: Transport) {
  return {
    /** Newest first. */
    list: ({ ids, ...query }: PetQuery = {}, own?: CallOptions): List<Pet> =>
      createList(transport, { path: '/pets', query: { ...query, id: ids }, options: own }),
    create: (body: NewPet, own?: WriteOptions) =>
      ask<Pet>(transport, { method: 'POST', path: '/pets', body, options: own }),
    /** @deprecated It is removed on 5 December 2030: use `list({ ids })`. */
    get: async (id: Id, own?: CallOptions) =>
      ask<Pet>(transport, { method: 'GET', path: `/pets/${exactId(id)}`, options: own }),
    /** @beta */
    update: async (id: Id, body: PetPatch, own?: ChangeOptions) =>
      ask<Pet>(transport, change('PATCH', `/pets/${exactId(id)}`, body, own)),
    /** @beta */
    async delete(id: Id, own?: ChangeOptions): Promise<void> {
      await transport.call(change('DELETE', `/pets/${exactId(id)}`, undefined, own));
    },
  };
}

function categoryMethods(transport: Transport) {
  return {
    list: (
      query: { readonly limit?: number | undefined } = {},
      own?: CallOptions,
    ): List<Category> =>
      createList(transport, { path: '/categories', query: { ...query }, options: own }),
    create: (body: NewCategory, own?: WriteOptions) =>
      ask<Category>(transport, { method: 'POST', path: '/categories', body, options: own }),
    get: async (id: Id, own?: CallOptions) =>
      ask<Category>(transport, { method: 'GET', path: `/categories/${exactId(id)}`, options: own }),
    /** Creates a category with this id, or replaces it. */
    put: async (id: Id, body: NewCategory, own?: PutOptions) =>
      ask<Category>(transport, change('PUT', `/categories/${exactId(id)}`, body, own)),
    async delete(id: Id, own?: ChangeOptions): Promise<void> {
      await transport.call(change('DELETE', `/categories/${exactId(id)}`, undefined, own));
    },
  };
}

function orderMethods(transport: Transport) {
  return {
    list: ({ ids, ...query }: OrderQuery = {}, own?: CallOptions): List<Order> =>
      createList(transport, { path: '/store/orders', query: { ...query, id: ids }, options: own }),
    /** Of several buyers of one animal, one gets it; the others get `pet_not_available`. */
    create: (body: NewOrder, own?: WriteOptions) =>
      ask<Order>(transport, { method: 'POST', path: '/store/orders', body, options: own }),
    get: async (id: Id, own?: CallOptions) =>
      ask<Order>(transport, { method: 'GET', path: `/store/orders/${exactId(id)}`, options: own }),
    update: async (id: Id, body: OrderPatch, own?: ChangeOptions) =>
      ask<Order>(transport, change('PATCH', `/store/orders/${exactId(id)}`, body, own)),
    async cancel(id: Id, own?: ChangeOptions): Promise<void> {
      await transport.call(change('DELETE', `/store/orders/${exactId(id)}`, undefined, own));
    },
  };
}

export type AnimalStore = ReturnType<typeof createAnimalStore>;
