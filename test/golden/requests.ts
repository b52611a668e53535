import { int64Max, int64Min } from '../../src/domain/values/int64.ts';
import type { Exchange, RecordedRequest } from './exchange.ts';

/** Each breaks code that quotes, sorts, folds, trims, normalises or converts text incorrectly. */
const oddNames = [
  'Rex',
  'Müsli',
  'e\u0301 is not \u00e9',
  `O'Malley \\ "quoted" \\x41 {a,b} %s $1`,
  ' Rex ',
  '\ufeffNULL',
  'ß ẞ ı İ ﬁ ς Σ',
  '👩‍👩‍👧‍👦',
  '\u{10ffff}\ufffd\u2028\u202e',
  'مرحبا か\u3099',
  '😀'.repeat(255),
];

const oddNumbers = [int64Min, int64Max, 0n, -1n, 9007199254740993n, 3n];

const statuses = ['available', 'sold', 'available', 'pending', 'available'];

type Send = (request: RecordedRequest) => Promise<Response>;

/** Adds records of every kind and state. Returns the requests with an `Idempotency-Key`. */
export async function fillShop(send: Send): Promise<readonly RecordedRequest[]> {
  const keyed: RecordedRequest[] = [];
  let caller = 'site';
  const write = async (method: string, path: string, content?: object, key?: string) => {
    const request: RecordedRequest = {
      caller,
      method,
      path: `/v1${path}`,
      ...(content && { body: toJson(content) }),
      ...(key !== undefined && { headers: { 'idempotency-key': key } }),
    };
    await send(request);
    if (key !== undefined) keyed.push(request);
  };
  for (const [index, name] of oddNames.entries()) {
    const categoryId = oddNumbers[index % oddNumbers.length];
    const status = statuses[index % statuses.length];
    await write('POST', '/pets', { name, categoryId, status }, `delivery-${index}`);
  }
  await write('POST', '/pets', { name: 'Gone', categoryId: 1 });
  await write('PATCH', '/pets/2', { name: 'Müsli the Second', status: 'available' }, 'a"b\\c');
  // The newest ids of the feed and of each kind are not those of existing records.
  await write('DELETE', '/pets/12', undefined, '~');
  await write('POST', '/categories', { name: 'Dogs', description: 'They bark:\n\t"wuff" 🐕\n' });
  for (const id of oddNumbers) await write('PUT', `/categories/${id}`, { name: `Number ${id}` });
  await write('POST', '/categories', { name: 'Nothing' });
  await write('DELETE', '/categories/2');
  const order = '/store/orders';
  const note = 'For Zoë\u0308, “on Monday”\n— ring twice 🔔';
  await write('POST', order, { petId: 1, note }, 'order-1');
  await write('POST', order, { petId: 3, note, shipDate: '2026-12-24T09:00:00.5+01:00' });
  await write('POST', order, { petId: 5, note: "O'Malley" });
  await write('POST', order, { petId: 6, note: 'Removed later' });
  await write('PATCH', `${order}/2`, { status: 'shipped' }, 'ship-2');
  await write('DELETE', `${order}/3`, undefined, 'cancel-3');
  await write('PATCH', `${order}/4`, { note: null });
  await send({ caller: 'site', method: 'GET', path: '/v1/pets/1' });
  for (caller of ['shop', 'ofGone']) {
    await write('POST', '/pets', { name: 'Ada', categoryId: 7 }, 'delivery-0');
    await write('POST', '/pets', { name: 'Bo', categoryId: int64Max });
    await write('POST', order, { petId: 1 });
  }
  return keyed.filter((request) => request.caller !== 'ofGone');
}

/** Adds a webhook with a failed delivery and two valid secrets, and one that selects events. Both are paused, so that they stay the same. */
export async function fillWebhooks(send: Send): Promise<void> {
  const path = '/v1/webhooks';
  const manage = async (method: string, resource: string, content?: object) => {
    const body = content && JSON.stringify(content);
    return await send({ caller: 'hooks', method, path: path + resource, ...(body && { body }) });
  };
  // Nothing listens there.
  const url = 'http://127.0.0.1:1';
  await manage('POST', '', { url: `${url}/all?shop=m%C3%BCsli` });
  await manage('POST', '', { url: `${url}/some`, types: ['order.*', 'pet.created'] });
  await manage('PATCH', '/2', { status: 'paused' });
  await manage('POST', '/1/secret', { overlapSeconds: 604_800 });
  await send({ caller: 'site', method: 'PATCH', path: '/v1/pets/1', body: '{"name":"Rex II"}' });
  let attempts: unknown[] = [];
  while (attempts.length === 0) {
    attempts = (await (await manage('GET', '/1/deliveries')).json()) as unknown[];
  }
  await manage('PATCH', '/1', { status: 'paused' });
}

function toJson(content: object): string {
  return JSON.stringify(content, (_key, member) =>
    typeof member === 'bigint' ? JSON.rawJSON(String(member)) : member,
  );
}

const read = (path: string, caller = 'site'): RecordedRequest => ({ caller, method: 'GET', path });

/** Read every record, in every order, with each kind of caller. Lists are read to their last page. */
export const readRequests: readonly RecordedRequest[] = [
  read('/v1/pets?limit=4'),
  read('/v1/pets?limit=5&sort=id'),
  read('/v1/pets?from=4&sort=id'),
  ...['available', 'pending', 'sold'].map((status) => read(`/v1/pets?limit=2&status=${status}`)),
  ...oddNumbers.map((number) => read(`/v1/pets?categoryId=${number}`)),
  ...['musli', 'E%CC%81', 'SS', 'o%27mal', '%F0%9F%98%80'].map((name) =>
    read(`/v1/pets?name=${name}`),
  ),
  ...oddNames.map((_, index) => read(`/v1/pets/${index + 1}`)),
  read('/v1/pets/12'),
  read('/v1/categories?limit=3'),
  ...[1n, 2n, ...oddNumbers].map((id) => read(`/v1/categories/${id}`)),
  read('/v1/store/orders?limit=2'),
  read('/v1/store/orders?status=pending'),
  read('/v1/store/orders?note=ZOE'),
  ...[1, 2, 3, 4].map((id) => read(`/v1/store/orders/${id}`)),
  read('/v1/store/inventory'),
  read('/v1/events?after=0&limit=100'),
  read('/v1/events?after=0&type=order.*'),
  read('/v1/events?after=0&record=pet:2'),
  read('/v1/events?after=now'),
  read('/v1/pets', 'reader'),
  read('/v1/events?after=0', 'reader'),
  read('/v1/pets', 'shop'),
  read('/v1/events?after=0', 'shop'),
  read('/v1/pets', 'replaced'),
  read('/v1/pets', 'replacing'),
  read('/console/v1/store/orders', 'owner'),
  ...['', '/1', '/2', '/1/deliveries', '/2/deliveries'].map((resource) =>
    read(`/v1/webhooks${resource}`, 'hooks'),
  ),
  read('/v1/pets', 'revoked'),
  read('/v1/pets', 'ofGone'),
];

/** New writes after the reads, which get the next ids. One changes a record with the `ETag` of an earlier read. */
export function writeRequests(exchanges: readonly Exchange[]): readonly RecordedRequest[] {
  const { answer } = exchanges.find(({ request }) => request.path === '/v1/pets/2') ?? {};
  const write = (method: string, path: string, body: string, headers = {}) => ({
    caller: 'site',
    method,
    path: `/v1${path}`,
    body,
    headers,
  });
  return [
    write('PATCH', '/pets/2', '{"status":"sold"}', { 'if-match': answer?.headers.etag ?? '' }),
    write('POST', '/pets', '{"name":"New","categoryId":9223372036854775807}'),
    write('POST', '/categories', '{"name":"New"}'),
    write('POST', '/store/orders', '{"petId":13,"note":"For Ada"}'),
    { ...write('POST', '/pets', '{"name":"New","categoryId":1}'), caller: 'shop' },
    read('/v1/pets?limit=4'),
    read('/v1/store/inventory'),
    read('/v1/events?after=now'),
    read('/v1/events?after=now', 'shop'),
  ];
}
