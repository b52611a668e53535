import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { petStatuses } from '../src/domain/pet.ts';
import { formatExactJson } from '../src/domain/values/exact-json.ts';
import { int64Max } from '../src/domain/values/int64.ts';
import { parseExactly } from './support/answers.ts';
import { documentedOperations, undocumented } from './support/published-document.ts';
import { readFeed, replay } from './support/replay-feed.ts';
import { openTestApp, type TestApp } from './support/test-app.ts';

// The actions of a shop, compared with a model: animals, categories and orders, by every operation. All requests are
// well-formed. hostile/schemathesis.ts tests the others.

const times = Number(process.env.ANIMAL_STORE_TEST_RUNS ?? 1);

type Members = Readonly<Record<string, unknown>>;

interface Shop {
  readonly pets: Map<number, Members & { status: string; categoryId: unknown; name: string }>;
  readonly categories: Map<bigint, Members>;
  readonly orders: Map<number, Members & { petId: number; status: string }>;
  lastPet: number;
  lastOrder: number;
  lastCategory: bigint;
}

/** A request with its expected answer. The model changes as the service should. */
interface Step {
  readonly method: string;
  readonly path: string;
  readonly body?: object;
  readonly headers?: Record<string, string>;
  expect(shop: Shop): { readonly status: number; readonly body?: unknown };
}

const number = fc.integer({ min: 1, max: 6 });
const name = fc.constantFrom('Rex', 'Max', 'Fluffy');
const status = fc.constantFrom(...petStatuses);
const categoryId = fc.constantFrom(1n, 2n, 7n, -1n, int64Max);
const note = fc.constantFrom('For Ada', 'FOR ADA, TOO', '');
const shipDate = fc.constantFrom('2026-12-24T09:00:00.000Z', '1999-01-01T00:00:00.000Z');

/** Optional members. */
const some = <Members extends Record<string, fc.Arbitrary<unknown>>>(members: Members) =>
  fc.record(members, { requiredKeys: [] });

function toQuery(filter: Members): string {
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(filter)) {
    for (const one of [value].flat()) query.append(key, String(one));
  }
  return query.toString();
}

function hasOpenOrder({ orders }: Shop, petId: number): boolean {
  return [...orders.values()].some((order) => order.petId === petId && order.status === 'pending');
}

const gone = { status: 404 } as const;

const addPet = fc.record({ name, categoryId, status: fc.option(status, { nil: undefined }) }).map(
  (body): Step => ({
    method: 'POST',
    path: '/pets',
    body,
    expect(shop) {
      shop.lastPet += 1;
      const pet = { id: shop.lastPet, ...body, status: body.status ?? 'available' };
      shop.pets.set(pet.id, pet);
      return { status: 201, body: pet };
    },
  }),
);

const changePet = fc.tuple(number, some({ name, categoryId, status })).map(
  ([id, body]): Step => ({
    method: 'PATCH',
    path: `/pets/${id}`,
    body,
    expect(shop) {
      const old = shop.pets.get(id);
      if (old === undefined) return gone;
      const isMoved = (body.status ?? old.status) !== old.status;
      if (isMoved && hasOpenOrder(shop, id)) return { status: 409 };
      const pet = { ...old, ...body } as typeof old;
      shop.pets.set(id, pet);
      return { status: 200, body: pet };
    },
  }),
);

const removePet = number.map(
  (id): Step => ({
    method: 'DELETE',
    path: `/pets/${id}`,
    expect(shop) {
      if (!shop.pets.has(id)) return gone;
      if (hasOpenOrder(shop, id)) return { status: 409 };
      shop.pets.delete(id);
      return { status: 204 };
    },
  }),
);

const putCategory = fc.tuple(categoryId, name, fc.boolean()).map(
  ([id, named, onlyNew]): Step => ({
    method: 'PUT',
    path: `/categories/${id}`,
    body: { name: named },
    headers: onlyNew ? { 'if-none-match': '*' } : {},
    expect({ categories }) {
      const isThere = categories.has(id);
      if (isThere && onlyNew) return { status: 412 };
      categories.set(id, { id, name: named });
      return { status: isThere ? 200 : 201, body: categories.get(id) };
    },
  }),
);

const addCategory = name.map(
  (named): Step => ({
    method: 'POST',
    path: '/categories',
    body: { name: named },
    expect(shop) {
      do shop.lastCategory += 1n;
      while (shop.categories.has(shop.lastCategory));
      const id = shop.lastCategory;
      shop.categories.set(id, { id, name: named });
      return { status: 201, body: shop.categories.get(id) };
    },
  }),
);

const removeCategory = categoryId.map(
  (id): Step => ({
    method: 'DELETE',
    path: `/categories/${id}`,
    expect: ({ categories }) => (categories.delete(id) ? { status: 204 } : gone),
  }),
);

function orderBody(order: Members & { status: string }): Members {
  const { id, petId, shipDate: date, note } = order;
  const complete = order.status === 'shipped';
  return {
    id,
    petId,
    quantity: 1,
    status: order.status,
    complete,
    ...(date ? { shipDate: date } : {}),
    ...(typeof note === 'string' ? { note } : {}),
  };
}

const placeOrder = fc.record({ petId: number, note }, { requiredKeys: ['petId'] }).map(
  (body): Step => ({
    method: 'POST',
    path: '/store/orders',
    body,
    expect(shop) {
      const pet = shop.pets.get(body.petId);
      if (pet === undefined) return gone;
      if (pet.status !== 'available') return { status: 409 };
      pet.status = 'pending';
      shop.lastOrder += 1;
      const order = { id: shop.lastOrder, ...body, status: 'pending' };
      shop.orders.set(order.id, order);
      return { status: 201, body: orderBody(order) };
    },
  }),
);

const changeOrder = fc
  .tuple(
    number,
    some({
      status: fc.constantFrom('pending', 'shipped', 'shipped', 'cancelled'),
      shipDate,
      note: fc.option(note),
    }),
  )
  .map(
    ([id, body]): Step => ({
      method: 'PATCH',
      path: `/store/orders/${id}`,
      body,
      expect(shop) {
        const old = shop.orders.get(id);
        if (old === undefined) return gone;
        const order = { ...old, ...body } as typeof old;
        const isShipped = order.status === 'shipped' && old.status === 'pending';
        if (isShipped && order.shipDate === undefined) Object.assign(order, { shipDate: testTime });
        const isMoved = order.status !== old.status || order.shipDate !== old.shipDate;
        const isClosed = old.status !== 'pending' || order.status === 'cancelled';
        if (isMoved && isClosed) return { status: 409 };
        shop.orders.set(id, order);
        const pet = shop.pets.get(old.petId);
        if (isShipped && pet !== undefined) pet.status = 'sold';
        return { status: 200, body: orderBody(order) };
      },
    }),
  );

const cancelOrder = number.map(
  (id): Step => ({
    method: 'DELETE',
    path: `/store/orders/${id}`,
    expect({ orders, pets }) {
      const order = orders.get(id);
      if (order === undefined) return gone;
      if (order.status === 'shipped') return { status: 409 };
      const pet = pets.get(order.petId);
      if (order.status === 'pending' && pet !== undefined) pet.status = 'available';
      order.status = 'cancelled';
      return { status: 204 };
    },
  }),
);

const listPets = some({
  status,
  categoryId,
  name: fc.constantFrom('rex', 'X'),
  sort: fc.constantFrom('id', '-id'),
  from: number,
}).map((filter): Step => {
  const sign = filter.sort === 'id' ? 1 : -1;
  return {
    method: 'GET',
    path: `/pets?limit=100&${toQuery(filter)}`,
    expect: ({ pets }) => ({
      status: 200,
      body: [...pets.values()]
        .filter((pet) => filter.status === undefined || pet.status === filter.status)
        .filter((pet) => filter.categoryId === undefined || pet.categoryId === filter.categoryId)
        .filter((pet) => pet.name.toLowerCase().includes(String(filter.name ?? '').toLowerCase()))
        .filter(({ id }) => (Number(id) - Number(filter.from ?? id)) * sign >= 0)
        .toSorted((left, right) => (Number(left.id) - Number(right.id)) * sign),
    }),
  };
});

const listOrders = some({
  status: fc.constantFrom('pending', 'shipped', 'cancelled'),
  petId: fc.uniqueArray(number, { minLength: 1, maxLength: 3 }),
  note: fc.constantFrom('for ada', 'x'),
}).map(
  (filter): Step => ({
    method: 'GET',
    path: `/store/orders?limit=100&${toQuery(filter)}`,
    expect: ({ orders }) => ({
      status: 200,
      body: [...orders.values()]
        .filter((order) => filter.status === undefined || order.status === filter.status)
        .filter(
          (order) => filter.petId === undefined || [filter.petId].flat().includes(order.petId),
        )
        .filter(({ note }) => filter.note === undefined || (filter.note === 'for ada' && note))
        .toSorted((left, right) => Number(right.id) - Number(left.id))
        .map(orderBody),
    }),
  }),
);

const listCategories = fc.constant<Step>({
  method: 'GET',
  path: '/categories?limit=100',
  expect: ({ categories }) => ({
    status: 200,
    body: [...categories.values()].toSorted((left, right) =>
      BigInt(String(left.id)) < BigInt(String(right.id)) ? 1 : -1,
    ),
  }),
});

/** A read of one record. */
const getFrom = <Id>(
  path: string,
  ids: fc.Arbitrary<Id>,
  find: (shop: Shop, id: Id) => unknown,
): fc.Arbitrary<Step> =>
  ids.map((id) => ({
    method: 'GET',
    path: `${path}/${id}`,
    expect(shop) {
      const body = find(shop, id);
      return body === undefined ? gone : { status: 200, body };
    },
  }));

const getOne = fc.oneof(
  getFrom('/pets', number, ({ pets }, id) => pets.get(id)),
  getFrom('/categories', categoryId, ({ categories }, id) => categories.get(id)),
  getFrom('/store/orders', number, ({ orders }, id) => {
    const order = orders.get(id);
    return order && orderBody(order);
  }),
);

const step = fc.oneof(
  { weight: 4, arbitrary: addPet },
  { weight: 4, arbitrary: changePet },
  { weight: 2, arbitrary: removePet },
  { weight: 6, arbitrary: placeOrder },
  { weight: 4, arbitrary: changeOrder },
  { weight: 3, arbitrary: cancelOrder },
  { weight: 2, arbitrary: fc.oneof(putCategory, addCategory, removeCategory) },
  { weight: 4, arbitrary: fc.oneof(listPets, listOrders, listCategories, getOne) },
);

const testTime = '2027-01-15T12:00:00.000Z';

function operationIdOf({ method, path }: Step): string {
  const [place = ''] = path.split('?');
  const operation = documentedOperations.find(
    (each) =>
      each.method === method.toLowerCase() &&
      new RegExp(`^${each.path.replace(/\{\w+\}/, '[^/]+')}$`).test(place),
  );
  return operation?.operationId ?? '';
}

async function take(app: TestApp, shop: Shop, step: Step): Promise<void> {
  const { method, path, body, ...rest } = step;
  const response = await app.send(`/v1${path}`, {
    method,
    headers: {
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...rest.headers,
    },
    ...(body === undefined ? {} : { body: formatExactJson(body) }),
  });
  const text = await response.text();
  expect(undocumented(operationIdOf(step), response, text)).toEqual([]);
  const expected = rest.expect(shop);
  expect([method, path, response.status]).toEqual([method, path, expected.status]);
  if (expected.body !== undefined) {
    expect([method, path, text]).toEqual([method, path, formatExactJson(expected.body)]);
  }
  const counts = { available: 0, pending: 0, sold: 0 };
  for (const pet of shop.pets.values()) counts[pet.status as keyof typeof counts] += 1;
  const inventory = await (await app.send('/v1/store/inventory')).json();
  expect([method, path, inventory]).toEqual([method, path, counts]);
  for (const order of shop.orders.values()) {
    if (order.status === 'pending') expect(shop.pets.get(order.petId)?.status).toBe('pending');
  }
}

/** The record of an event, such as `pet:1`. */
function recordOf(text: string): string {
  const { type, data } = parseExactly(text) as { type: string; data: Members };
  return `${type.split('.')[0]}:${data.id}`;
}

/** The state after all events of the feed equals the stored records. The events of each record are those of the feed. */
async function compareFeed(app: TestApp, { pets, orders, categories }: Shop): Promise<void> {
  const feed = await readFeed((path) => app.send(`/v1${path}`));
  const { records, wrong } = replay(feed);
  expect(wrong).toBeUndefined();
  for (const [record, events] of Map.groupBy(feed, recordOf)) {
    const ofRecord = await readFeed((path) => app.send(`/v1${path}&record=${record}`));
    expect([record, ...ofRecord]).toEqual([record, ...events]);
  }
  const texts = [
    ...[...pets].map(([id, pet]) => [`pet ${id}`, formatExactJson(pet)] as const),
    ...[...orders].map(
      ([id, { note: _note, ...order }]) =>
        [`order ${id}`, formatExactJson(orderBody(order))] as const,
    ),
    ...[...categories].map(
      ([id, category]) => [`category ${id}`, formatExactJson(category)] as const,
    ),
  ];
  expect(new Map([...records].sort())).toEqual(new Map(texts.sort()));
}

test(
  'every answer to a sequence of requests is listed in the document; records, counts and events are those of a model',
  async () => {
    const property = fc.asyncProperty(
      fc.array(step, { minLength: 1, maxLength: 60, size: 'max' }),
      async (steps) => {
        // Answers have all optional headers with a limit. It is so high that no request is refused.
        await using app = await openTestApp({ rateLimit: { count: 1_000_000, seconds: 1 } });
        const shop: Shop = {
          pets: new Map(),
          categories: new Map(),
          orders: new Map(),
          lastPet: 0,
          lastOrder: 0,
          lastCategory: 0n,
        };
        for (const one of steps) await take(app, shop, one);
        await compareFeed(app, shop);
        expect(app.failures).toEqual([]);
      },
    );
    await fc.assert(property, {
      numRuns: 30 * times,
      interruptAfterTimeLimit: 50_000 * times,
      markInterruptAsFailure: true,
    });
  },
  60_000 * times,
);
