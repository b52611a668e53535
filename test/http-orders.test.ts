import { describe, expect, test } from 'bun:test';
import { background } from '../src/context/context.ts';
import { defaultWorkspaceName } from '../src/domain/access/workspace.ts';
import { expectError, readIds } from './support/answers.ts';
import { addPets, equalPets, idsIn, readPages } from './support/catalogue.ts';
import { openTestApp, type Sent, type TestApp } from './support/test-app.ts';

const path = '/v1/store/orders';

const order = (app: TestApp, body: unknown, sent?: Sent) => app.write('POST', path, body, sent);

const update = (app: TestApp, id: number | string, patch: unknown, sent?: Sent) =>
  app.write('PATCH', `${path}/${id}`, patch, sent);

const cancel = (app: TestApp, id: number | string, sent?: Sent) =>
  app.write('DELETE', `${path}/${id}`, undefined, sent);

const ship = (app: TestApp, id: number) => update(app, id, { status: 'shipped' });

const statusOf = async (app: TestApp, id: number) =>
  ((await (await app.send(`/v1/pets/${id}`)).json()) as { status: string }).status;

const readOrderIds = async (response: Response) => idsIn(await response.text());

/** The ids on each page of a list. */
const walk = async (app: TestApp, query: string) =>
  (await readPages(app, `${path}${query}`)).map(idsIn);

const inventory = async (app: TestApp) => (await app.send('/v1/store/inventory')).json();

async function openWith(animals: number): Promise<TestApp> {
  const app = await openTestApp();
  await addPets(app, equalPets(animals));
  return app;
}

describe('POST /v1/store/orders', () => {
  test('reserves an available animal, and answers with its Location, its tag and its JSON', async () => {
    await using app = await openWith(2);
    const response = await order(app, { petId: 2, shipDate: '2026-12-24T10:00:00.1239+01:00' });
    expect([response.status, response.headers.get('location')]).toEqual([201, `${path}/1`]);
    expect(response.headers.get('x-stability')).toBe('beta');
    const text =
      '{"id":1,"petId":2,"quantity":1,"status":"pending","complete":false,"shipDate":"2026-12-24T09:00:00.123Z"}';
    expect(await response.text()).toBe(text);
    const read = await app.send(`${path}/1`);
    expect([await read.text(), read.headers.get('etag')]).toEqual([
      text,
      response.headers.get('etag'),
    ]);
    expect([await statusOf(app, 1), await statusOf(app, 2)]).toEqual(['available', 'pending']);
    expect(await readIds(await app.send('/v1/pets?status=pending'))).toEqual([2]);
    expect(await inventory(app)).toEqual({ available: 1, pending: 1, sold: 0 });
    const plain = await order(app, { petId: 1, quantity: 1, note: 'For Ada:\r\n\tMonday 犬' });
    expect(await plain.text()).toBe(
      '{"id":2,"petId":1,"quantity":1,"status":"pending","complete":false,"note":"For Ada:\\r\\n\\tMonday 犬"}',
    );
  });

  test('answers 409 for a reserved or sold animal, and 404 for a missing one', async () => {
    await using app = await openWith(2);
    await order(app, { petId: 1 });
    await app.write('PATCH', '/v1/pets/2', { status: 'sold' });
    for (const petId of [1, 2]) {
      const message = await expectError(await order(app, { petId }), 'pet_not_available');
      expect(message).toBe(`Animal ${petId} is not available`);
    }
    for (const petId of [3, 0, -1]) {
      expect(await expectError(await order(app, { petId }), 'not_found')).toBe(
        `There is no animal ${petId}`,
      );
    }
    expect(await readOrderIds(await app.send(path))).toEqual([1]);
  });

  test.each([
    [{}, 'petId is required'],
    [{ petId: '1' }, 'petId must be an integer'],
    [{ petId: 1, quantity: 2 }, 'quantity must be 1: each animal is unique, got 2'],
    [{ petId: 1, quantity: null }, 'quantity must be'],
    [{ petId: 1, shipDate: '2026-02-30T00:00:00Z' }, 'shipDate must be a date and time'],
    [{ petId: 1, shipDate: 1767225600000 }, 'shipDate must be a date and time'],
    [{ petId: 1, shipDate: null }, 'shipDate must be a date and time'],
    [{ petId: 1, note: null }, 'note must be a string of at most 1000 characters'],
    [{ petId: 1, note: 'a\0b' }, 'note must be a string of at most 1000 characters'],
    [{ petId: 1, note: '\ud800' }, 'note must be a string of at most 1000 characters'],
    [{ petId: 1, note: '😺'.repeat(1001) }, 'note must be a string of at most 1000 characters'],
    [
      { petId: 1.5, quantity: 2, shipDate: 'x' },
      'quantity must be 1: each animal is unique, got 2; s',
    ],
  ])('rejects %j with every fault, and reserves nothing', async (body, message) => {
    await using app = await openWith(1);
    expect(await expectError(await order(app, body), 'invalid_body')).toContain(message);
    expect(await inventory(app)).toEqual({ available: 1, pending: 0, sold: 0 });
  });
});

describe('PATCH /v1/store/orders/{orderId}', () => {
  test('ships an order: its animal is sold, and the date is that of the request', async () => {
    await using app = await openWith(1);
    await order(app, { petId: 1 });
    app.now = Date.UTC(2027, 1, 3, 4, 5, 6, 7);
    const shipped = await ship(app, 1);
    const text =
      '{"id":1,"petId":1,"quantity":1,"status":"shipped","complete":true,"shipDate":"2027-02-03T04:05:06.007Z"}';
    expect([shipped.status, await shipped.text()]).toEqual([200, text]);
    expect(await statusOf(app, 1)).toBe('sold');
    expect(await inventory(app)).toEqual({ available: 0, pending: 0, sold: 1 });
    // A patch without changes is accepted in every state, and does not check its animal.
    app.now += 1000;
    expect(await (await ship(app, 1)).text()).toBe(text);
    expect(await (await update(app, 1, {})).text()).toBe(text);
    for (const patch of [{ quantity: 1 }, { complete: true }, { petId: 1, id: 1 }]) {
      expect(await (await update(app, 1, patch)).text()).toBe(text);
    }
    for (const headers of [{}, { prefer: 'handling=strict' }]) {
      expect(await (await update(app, 1, JSON.parse(text), { headers })).text()).toBe(text);
    }
  });

  test('keeps a given date, and sets another while the order is open', async () => {
    await using app = await openWith(1);
    await order(app, { petId: 1, shipDate: '2026-12-24T09:00:00Z' });
    const dated = await update(app, 1, { shipDate: '2026-12-25T09:00:00.5-01:00' });
    expect(await dated.json()).toMatchObject({
      status: 'pending',
      shipDate: '2026-12-25T10:00:00.500Z',
    });
    expect(await statusOf(app, 1)).toBe('pending');
    expect(
      await (await update(app, 1, { status: 'shipped', complete: true })).json(),
    ).toMatchObject({ complete: true, shipDate: '2026-12-25T10:00:00.500Z' });
  });

  test.each(['pending', 'shipped', 'cancelled'])(
    'sets and removes the note of a %s order, of which events show that something changed and not what',
    async (status) => {
      await using app = await openWith(1);
      await order(app, { petId: 1 });
      if (status === 'shipped') await ship(app, 1);
      if (status === 'cancelled') await cancel(app, 1);
      const first = await app.send(`${path}/1`);
      const before = await first.text();
      const tag = first.headers.get('etag') ?? '';
      const headers = { 'if-match': tag, prefer: 'handling=strict' };
      for (const note of ['😺'.repeat(1000), '']) {
        const set = await (await update(app, 1, { note })).json();
        expect(set).toEqual({ ...JSON.parse(before), note });
        await expectError(await update(app, 1, { note: null }, { headers }), 'precondition_failed');
      }
      const wrong = { note: 'Not this', status: status === 'cancelled' ? 'pending' : 'cancelled' };
      await expectError(await update(app, 1, wrong), 'conflict');
      const removed = await update(app, 1, { note: null });
      expect([await removed.text(), removed.headers.get('etag')]).toEqual([before, tag]);
      expect((await update(app, 1, { note: null }, { headers })).status).toBe(200);
      const events = (await (await app.send('/v1/events')).json()) as object[];
      const change = { type: 'order.updated', data: JSON.parse(before), previous: {} };
      expect(events.slice(-3)).toMatchObject([change, change, change]);
      expect(JSON.stringify(events)).not.toContain('note');
    },
  );

  test.each([
    ['shipped', { status: 'pending' }, 'Order 1 is shipped: only its note can change. To take'],
    ['shipped', { status: 'cancelled' }, 'Order 1 is shipped: only its note can change. To take'],
    ['shipped', { shipDate: '2020-01-01T00:00:00Z' }, 'Order 1 is shipped'],
    ['cancelled', { status: 'shipped' }, 'Order 1 is cancelled: only its note can change'],
    ['cancelled', { status: 'pending' }, 'Order 1 is cancelled: only its note can change'],
    ['cancelled', { shipDate: '2020-01-01T00:00:00Z' }, 'Order 1 is cancelled'],
    ['pending', { status: 'cancelled' }, 'Order 1 is pending; cancel it with DELETE'],
  ])('of a %s order answers 409 to %j, and changes nothing', async (status, patch, message) => {
    await using app = await openWith(1);
    await order(app, { petId: 1 });
    if (status === 'shipped') await ship(app, 1);
    if (status === 'cancelled') await cancel(app, 1);
    const before = await (await app.send(`${path}/1`)).text();
    expect(await expectError(await update(app, 1, patch), 'conflict')).toStartWith(message);
    expect(await (await app.send(`${path}/1`)).text()).toBe(before);
  });

  test.each([
    [{ status: 'lost' }, 'status must be one of pending, shipped, cancelled'],
    [{ status: null }, 'status must not be null; leave it out'],
    [{ shipDate: null }, 'shipDate must not be null; leave it out'],
    [
      { note: 'a\0b', shipDate: null },
      'shipDate must not be null; leave it out to keep it as it is; note',
    ],
    [{ id: 2, status: 'shipped' }, 'id must be that of the path, 1, got 2'],
    [{ petId: 2, status: 'shipped' }, 'petId must be that of order 1, or left out'],
    [{ complete: true, shipDate: '2026-12-24T09:00:00Z' }, 'complete must be that of order 1'],
    [
      { quantity: 2, status: 'x' },
      'quantity must be 1: each animal is unique, got 2; status must be',
    ],
    [
      { id: 1 },
      'The body must have one of petId, quantity, status, complete, shipDate, note, or no',
    ],
    [
      { color: 'red' },
      'The body must have one of petId, quantity, status, complete, shipDate, note, or',
    ],
  ])('answers 400 to %j, and changes nothing', async (patch, message) => {
    await using app = await openWith(2);
    await order(app, { petId: 1 });
    const before = await (await app.send(`${path}/1`)).text();
    expect(await expectError(await update(app, 1, patch), 'invalid_body')).toContain(message);
    expect(await (await app.send(`${path}/1`)).text()).toBe(before);
    expect(await inventory(app)).toEqual({ available: 1, pending: 1, sold: 0 });
  });

  test('and DELETE are done only if the order matches If-Match', async () => {
    await using app = await openWith(1);
    const tag = (await order(app, { petId: 1 })).headers.get('etag') ?? '';
    const headers = { 'if-match': tag };
    const dated = { shipDate: '2026-12-24T09:00:00Z' };
    expect((await update(app, 1, dated, { headers })).status).toBe(200);
    await expectError(await update(app, 1, dated, { headers }), 'precondition_failed');
    await expectError(await cancel(app, 1, { headers }), 'precondition_failed');
    await expectError(await cancel(app, 2, { headers }), 'not_found');
    expect((await cancel(app, 1, { headers: { 'if-match': '*' } })).status).toBe(204);
    // The precondition is checked before the state of the order.
    await order(app, { petId: 1 });
    await ship(app, 2);
    await expectError(await cancel(app, 2, { headers }), 'precondition_failed');
  });

  test.each(['2', '0', '-1', 'x', '1.0', '9223372036854775808'])(
    'answers 404 for %s',
    async (id) => {
      await using app = await openWith(1);
      await order(app, { petId: 1 });
      await expectError(await update(app, id, { status: 'shipped' }), 'not_found');
      await expectError(await cancel(app, id), 'not_found');
      await expectError(await app.send(`${path}/${id}`), 'not_found');
    },
  );
});

describe('DELETE /v1/store/orders/{orderId}', () => {
  test('cancels an open order permanently, so that its animal can be ordered again', async () => {
    await using app = await openWith(1);
    await order(app, { petId: 1 });
    const cancelled = await cancel(app, 1);
    expect([cancelled.status, await cancelled.text()]).toEqual([204, '']);
    expect((await cancel(app, 1)).status).toBe(204);
    expect(await (await app.send(`${path}/1`)).json()).toMatchObject({ status: 'cancelled' });
    expect(await inventory(app)).toEqual({ available: 1, pending: 0, sold: 0 });
    expect((await order(app, { petId: 1 })).status).toBe(201);
    await ship(app, 2);
    expect(await expectError(await cancel(app, 2), 'conflict')).toStartWith('Order 2 is shipped');
    expect((await cancel(app, 1)).status).toBe(204);
    expect(await inventory(app)).toEqual({ available: 0, pending: 0, sold: 1 });
  });
});

describe('an open order', () => {
  test('controls the status of its animal, which cannot be removed', async () => {
    await using app = await openWith(1);
    await order(app, { petId: 1 });
    const animal = '/v1/pets/1';
    const message = 'Order 1 for animal 1 is open; ship or cancel it first';
    for (const status of ['available', 'sold']) {
      const refused = await app.write('PATCH', animal, { status, name: 'Not this' });
      expect(await expectError(refused, 'conflict')).toBe(message);
    }
    expect(await expectError(await app.write('DELETE', animal), 'conflict')).toBe(message);
    const renamed = await app.write('PATCH', animal, { name: 'Rex', status: 'pending' });
    expect(await renamed.json()).toMatchObject({ name: 'Rex', status: 'pending' });
    await ship(app, 1);
    // A return: the order has ended, and keeps the id of its animal.
    expect((await app.write('PATCH', animal, { status: 'available' })).status).toBe(200);
    expect((await app.write('DELETE', animal)).status).toBe(204);
    expect(await (await app.send(`${path}?petId=1`)).json()).toMatchObject([
      { id: 1, petId: 1, status: 'shipped' },
    ]);
    expect(await inventory(app)).toEqual({ available: 0, pending: 0, sold: 0 });
  });
});

describe('GET /v1/store/orders', () => {
  test('lists orders newest first, by status, animal and id, page by page', async () => {
    await using app = await openWith(4);
    for (const petId of [1, 2, 3]) await order(app, { petId });
    await cancel(app, 1);
    await order(app, { petId: 1 });
    await ship(app, 2);
    const idsOf = async (query: string) => (await walk(app, query)).flat();
    expect(await idsOf('?limit=1')).toEqual([4, 3, 2, 1]);
    expect(await idsOf('?status=pending&limit=1')).toEqual([4, 3]);
    expect(await idsOf('?petId=1&limit=1')).toEqual([4, 1]);
    expect(await idsOf('?petId=1&status=cancelled')).toEqual([1]);
    expect(await idsOf('?petId=3&petId=1&petId=99&petId=1&limit=1')).toEqual([4, 3, 1]);
    expect(await idsOf('?petId=1&petId=2&petId=3&status=pending&limit=1')).toEqual([4, 3]);
    expect(await idsOf('?petId=1&petId=2&id=1&id=2&id=3')).toEqual([2, 1]);
    const many = Array.from({ length: 101 }, (_, index) => `petId=${index}`);
    expect(await idsOf(`?${many.slice(1).join('&')}`)).toEqual([4, 3, 2, 1]);
    await expectError(await app.send(`${path}?${many.join('&')}`), 'invalid_parameter');
    expect(await idsOf('?id=1&id=2&id=99&limit=1')).toEqual([2, 1]);
    expect(await idsOf('?id=1&id=2&status=shipped&petId=2')).toEqual([2]);
    expect(await idsOf('?petId=9223372036854775807')).toEqual([]);
    await expectError(await app.send(`${path}?status=sold`), 'invalid_parameter');
    await expectError(await app.send(`${path}?petId=x`), 'invalid_parameter');
  });
});

describe('GET /v1/store/orders?note', () => {
  test('lists the orders whose note contains the text, in any case and without accents', async () => {
    await using app = await openWith(5);
    const notes = ['For Zo\u00eb,\non Monday', 'for ZOE\u0308', undefined, 'Bo & 犬', ''];
    for (const [index, note] of notes.entries()) await order(app, { petId: index + 1, note });
    await ship(app, 2);
    const found = async (note: string, more = '') =>
      (await walk(app, `?note=${encodeURIComponent(note)}${more}`)).flat();
    expect(await found(' zoe ')).toEqual([2, 1]);
    expect(await found('zoë', '&limit=1')).toEqual([2, 1]);
    expect(await found('& 犬')).toEqual([4]);
    expect(await found(',\nON')).toEqual([1]);
    expect(await found('zoë', '&status=shipped')).toEqual([2]);
    expect(await found('ZOË', '&petId=1&petId=4')).toEqual([1]);
    for (const query of ['note=', 'note=%20', `note=${'x'.repeat(1001)}`, 'note=a&note=b']) {
      await expectError(await app.send(`${path}?${query}`), 'invalid_parameter');
    }
    await update(app, 1, { note: null });
    expect(await found('zoë')).toEqual([2]);
  });

  test('scans 2000 orders for a page, and continues after them', async () => {
    await using app = await openWith(2001);
    const orders = Array.from({ length: 2001 }, (_, index) => ({
      petId: BigInt(index + 1),
      note: index === 0 ? 'Needle' : 'Hay',
    }));
    const place = (order: (typeof orders)[number]) =>
      app.database.write(background, 'createOrder', { workspaceId: 1n, order });
    await Promise.all(orders.map(place));
    expect(await walk(app, '?note=needle')).toEqual([[], [1]]);
    expect((await walk(app, '?note=hay&limit=100')).flat()).toHaveLength(2000);
  });
});

describe('a workspace that is deleted', () => {
  test('loses its orders and categories, and other workspaces keep theirs', async () => {
    await using app = await openWith(2);
    const { database } = app;
    await order(app, { petId: 1 });
    await database.write(background, 'createWorkspace', { name: 'other', now: app.now });
    const { id = 0n } = (await database.findWorkspace(background, 'other')) ?? {};
    const pets = Array.from({ length: 5 }, () => ({ name: 'Rex', categoryId: 1n }));
    await database.write(background, 'createPets', { workspaceId: id, pets });
    for (const petId of [5n, 4n, 1n]) {
      await database.write(background, 'createOrder', { workspaceId: id, order: { petId } });
    }
    await database.write(background, 'createCategory', {
      workspaceId: id,
      category: { name: 'Dogs' },
    });
    for (let gone = false; !gone; ) {
      const outcome = await database.write(background, 'deleteWorkspaceStep', {
        id,
        rowsMax: 2,
        now: app.now,
      });
      gone = 'ok' in outcome && outcome.ok.gone;
      // Until it is deleted, its counts match its records, and each open order has its animal.
      const { items: left } = await database.readPetPage(background, id, { limit: 9 });
      const { available, pending, sold } = await database.readInventory(background, id);
      expect([available + pending, sold]).toEqual([left.length, 0]);
      for (const { petId } of (await database.readOrderPage(background, id, { limit: 9 })).items) {
        expect(left.map((pet) => pet.id)).toContain(petId);
      }
    }
    expect((await database.readOrderPage(background, id, { limit: 9 })).items).toEqual([]);
    expect((await database.readCategoryPage(background, id, { limit: 9 })).items).toEqual([]);
    expect(await database.findWorkspace(background, defaultWorkspaceName)).toBeDefined();
    expect(await readOrderIds(await app.send(path))).toEqual([1]);
  });
});
