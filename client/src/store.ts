import type {
  Category,
  CategoryReplacement,
  CreatedWebhook,
  Delivery,
  Inventory,
  Key,
  NewCategory,
  NewOrder,
  NewPet,
  NewWebhook,
  Order,
  OrderPatch,
  OrderStatus,
  Pet,
  PetPatch,
  PetStatus,
  Webhook,
  WebhookPatch,
  WebhookRotation,
  WebhookSecret,
  WebhookTest,
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

/** Makes the change only if the record still has this ETag. For a record, it is the ETag with which the record was read. */
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
  /** A part of the name, without regard to case and accents. */
  readonly name?: string | undefined;
  /** The newest first (`-id`, the default), or the oldest first (`id`). @beta */
  readonly sort?: 'id' | '-id' | undefined;
  /** The list starts at this id, or at the next one in the order of `sort`. @beta */
  readonly from?: Id | undefined;
  /** The number of items of each page. */
  readonly limit?: number | undefined;
}

export interface OrderQuery {
  readonly status?: OrderStatus | undefined;
  /** One animal, or up to a hundred. */
  readonly petId?: Id | readonly Id[] | undefined;
  readonly ids?: readonly Id[] | undefined;
  /** A part of the note, compared as names of animals are. */
  readonly note?: string | undefined;
  /** The number of items of each page. */
  readonly limit?: number | undefined;
}

/** How long the service waits for an endpoint. */
const testMilliseconds = 20_000;

const etagsName = Symbol.for('animal-store-client.etags');
const shared = globalThis as { [etagsName]?: WeakMap<object, string> };
shared[etagsName] ??= new WeakMap();

/** All copies of this package share it, so that one takes a record of another one. */
const etags = shared[etagsName];

/** The ETag of a record that this client read: for `ifMatch`, also in another process. */
export function etagOf(record: object): string | undefined {
  return etags.get(record);
}

/** A client of one workspace of an animal store. */
export function createAnimalStore(options: AnimalStoreOptions) {
  const transport = createTransport(options);
  const pets = recordMethods<Pet, NewPet, PetPatch>(transport, '/pets');
  const categories = recordMethods<Category, NewCategory, CategoryReplacement>(
    transport,
    '/categories',
  );
  const orders = recordMethods<Order, NewOrder, OrderPatch>(transport, '/store/orders');
  return {
    pets: {
      /** Newest first, unless `sort` is `id`. */
      list: ({ ids, ...query }: PetQuery = {}, options?: CallOptions) =>
        pets.list({ ...query, id: ids }, options),
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
      list: (query: { readonly limit?: number | undefined } = {}, options?: CallOptions) =>
        categories.list(query, options),
      create: categories.create,
      get: categories.get,
      /** Creates a category with this id, or replaces it. */
      put: categories.put,
      delete: categories.delete,
    },
    /** @beta */
    orders: {
      list: ({ ids, ...query }: OrderQuery = {}, options?: CallOptions) =>
        orders.list({ ...query, id: ids }, options),
      /** Of several buyers of one animal, one gets it; the others get `pet_not_available`. */
      create: orders.create,
      get: orders.get,
      update: orders.update,
      cancel: orders.delete,
    },
    /** @beta */
    inventory: {
      count: (options?: CallOptions) =>
        requestRecord<Inventory>(transport, { method: 'GET', path: '/store/inventory', options }),
    },
    /** @beta */
    events: {
      /** Events after a position: at once, or when there are some, for as long as `wait` says. */
      list: (request: EventsRequest = {}): Promise<EventsAnswer> => readEvents(transport, request),
      /** Events as they happen, over as many connections as necessary. */
      stream: (options: StreamOptions = {}): AsyncGenerator<StoreEvent, void, undefined> =>
        streamEvents(transport, options),
    },
    /** The key of this client. @beta */
    key: {
      get: (options?: CallOptions) =>
        requestRecord<Key>(transport, { method: 'GET', path: '/key', options }),
    },
    /** They need a key with the scope `webhooks:manage`. @beta */
    webhooks: webhookMethods(transport),
  };
}

function webhookMethods(transport: Transport) {
  const webhooks = recordMethods<Webhook, NewWebhook, WebhookPatch>(transport, '/webhooks');
  const ofWebhook = (id: Id, name: string) => `/webhooks/${exactId(id)}/${name}`;
  return {
    list: (options?: CallOptions) => webhooks.list({}, options),
    /** Only this result has the secret. If the call was repeated, even it may lack the secret: then replace it. */
    create: async (webhook: NewWebhook, options?: WriteOptions): Promise<CreatedWebhook> =>
      webhooks.create(webhook, options),
    get: webhooks.get,
    /** Also pauses the webhook, and sets its position. */
    update: webhooks.update,
    delete: webhooks.delete,
    /** Replaces the secret. For a day, or as long as `overlapSeconds`, deliveries are signed with both. */
    rotateSecret: (id: Id, rotation: WebhookRotation = {}, options?: ChangeOptions) =>
      requestRecord<WebhookSecret>(
        transport,
        changeCall('POST', ofWebhook(id, 'secret'), rotation, options),
      ),
    /** Sends a signed request to the endpoint, and returns its response. */
    test: (id: Id, options?: CallOptions) =>
      requestRecord<WebhookTest>(transport, {
        method: 'POST',
        path: ofWebhook(id, 'test'),
        waitMilliseconds: testMilliseconds,
        options,
      }),
    /** The attempts to deliver events in the last 30 days, newest first. */
    deliveries: (
      id: Id,
      query: { readonly limit?: number | undefined } = {},
      options?: CallOptions,
    ): List<Delivery> =>
      createList(transport, {
        method: 'GET',
        path: ofWebhook(id, 'deliveries'),
        query,
        options,
      }),
  };
}

/** The calls for the records of one path. Some kinds of records have only some of them. */
function recordMethods<Item extends object, New, Change>(transport: Transport, path: string) {
  const at = (id: Id) => `${path}/${exactId(id)}`;
  return {
    list: (query: Call['query'], options?: CallOptions): List<Item> =>
      createList(transport, { method: 'GET', path, query, options }),
    create: (body: New, options?: WriteOptions) =>
      requestRecord<Item>(transport, { method: 'POST', path, body, options }),
    get: async (id: Id, options?: CallOptions) =>
      requestRecord<Item>(transport, { method: 'GET', path: at(id), options }),
    update: async (id: Id, body: Change, options?: ChangeOptions) =>
      requestRecord<Item>(transport, changeCall('PATCH', at(id), body, options)),
    put: async (id: Id, body: Change, options?: PutOptions) =>
      requestRecord<Item>(transport, changeCall('PUT', at(id), body, options)),
    async delete(id: Id, options?: ChangeOptions): Promise<void> {
      await transport.call(changeCall('DELETE', at(id), undefined, options));
    },
  };
}

async function requestRecord<Value extends object>(
  transport: Transport,
  call: Call,
): Promise<Value> {
  const { value, headers } = await transport.call(call);
  if (typeof value !== 'object' || value === null) {
    throw new AnimalStoreError('unexpected_response', 'The response is not a record');
  }
  const etag = headers.get('etag');
  if (etag !== null) etags.set(value, etag);
  return value as Value;
}

/** A change of one record, with its preconditions. */
function changeCall(
  method: Call['method'],
  path: string,
  body: unknown,
  options?: PutOptions,
): Call {
  const headers = { 'if-match': ifMatchOf(options), 'if-none-match': options?.ifNoneMatch };
  return { method, path, body, headers, options };
}

function ifMatchOf(options: ChangeOptions = {}): string | undefined {
  if (!('ifMatch' in options)) return undefined;
  const { ifMatch } = options;
  const etag = typeof ifMatch === 'object' ? etagOf(ifMatch) : ifMatch;
  if (etag !== undefined) return etag;
  // Without it, every version of the record would be changed.
  throw new TypeError(
    'ifMatch has no ETag. Pass a record that get, create, put or update returned; update(id, {}) returns one',
  );
}

export type AnimalStore = ReturnType<typeof createAnimalStore>;
