import { expect, test } from 'bun:test';
import { background } from '../src/context/context.ts';
import { type Pet, petStatuses } from '../src/domain/pet.ts';
import { newApiKey } from '../src/http/access/new-api-key.ts';
import { nextPath, parseExactly } from './support/answers.ts';
import { addPets } from './support/catalogue.ts';
import { openTestApp, type TestApp } from './support/test-app.ts';

const workspaceNames = ['default', 'north', 'south', 'north-east'] as const;
type WorkspaceName = (typeof workspaceNames)[number];
const petsEach = 12;

interface WorkspaceKey {
  readonly workspace: WorkspaceName;
  readonly kind: string;
  readonly apiKey: string;
  readonly reads: boolean;
  readonly writes: boolean;
  readonly sells: boolean;
}

/** Several keys of each workspace: every scope, and both keys of a rotation. */
async function createKeys(app: TestApp): Promise<WorkspaceKey[]> {
  const keys: WorkspaceKey[] = [];
  for (const workspace of workspaceNames) {
    const all = { workspace, reads: true, writes: true, sells: true };
    const { text: full } = await app.createKey({ workspace });
    keys.push({ ...all, kind: 'full', apiKey: full });
    const { text: reader } = await app.createKey({ workspace, scopes: ['pets:read'] });
    keys.push({ ...all, kind: 'reader', apiKey: reader, writes: false, sells: false });
    const { text: writer } = await app.createKey({ workspace, scopes: ['pets:write'] });
    keys.push({ ...all, kind: 'writer', apiKey: writer, reads: false, sells: false });
    const { text: rotated, id } = await app.createKey({ workspace });
    const { text: successor, digest, lastFour } = newApiKey('production');
    const overlapMilliseconds = 3_600_000;
    await app.database.write(background, 'rotateApiKey', {
      id,
      digest,
      lastFour,
      overlapMilliseconds,
      now: app.now,
    });
    keys.push({ ...all, kind: 'rotated', apiKey: rotated });
    keys.push({ ...all, kind: 'successor', apiKey: successor });
  }
  return keys;
}

/** Names contain the workspace of the animal. All workspaces have the same ids. */
function startPets(workspace: WorkspaceName): Pet[] {
  return Array.from({ length: petsEach }, (_, index) => ({
    id: BigInt(index + 1),
    name: `${index} of ${workspace}`,
    categoryId: BigInt(index),
    status: petStatuses[index % petStatuses.length] ?? 'available',
  }));
}

/** A category with the name of its workspace, and another number of orders in each workspace. */
async function addOrders({ database }: TestApp, workspace: WorkspaceName): Promise<void> {
  const { id: workspaceId = 0n } = (await database.findWorkspace(background, workspace)) ?? {};
  const category = { name: `Dogs of ${workspace}` };
  await database.write(background, 'createCategory', { workspaceId, category });
  for (let order = 0; order <= workspaceNames.indexOf(workspace); order += 1) {
    // Every third animal is available, beginning with the first.
    const placed = { petId: BigInt(3 * order + 1), note: `of ${workspace}` };
    await database.write(background, 'createOrder', { workspaceId, order: placed });
  }
}

interface Seen {
  readonly status: number;
  readonly pets: readonly Pet[];
  readonly headers: Headers;
  readonly body: string;
}

async function ask(
  { send }: TestApp,
  { apiKey }: Pick<WorkspaceKey, 'apiKey'>,
  path: string,
  init: RequestInit = {},
): Promise<Seen> {
  const response = await send(path, { ...init, apiKey });
  const body = await response.text();
  const { status, headers } = response;
  const value = response.ok && body !== '' ? parseExactly(body) : [];
  return { status, headers, body, pets: [value].flat() as Pet[] };
}

/** Everything that a key can read. Each record of another workspace in it counts as a leak. */
async function findLeaks(
  app: TestApp,
  key: WorkspaceKey,
  foreign: { readonly cursors: readonly string[]; readonly etags: readonly string[] },
): Promise<{ leaks: string[]; asked: number }> {
  const leaks: string[] = [];
  let asked = 0;
  async function read(path: string, init: RequestInit = {}): Promise<Seen> {
    asked += 1;
    const seen = await ask(app, key, path, init);
    const otherNames = workspaceNames.filter((name) => name !== key.workspace);
    for (const otherName of otherNames) {
      const isLeak = [seen.body, ...seen.headers.values()].some((text) =>
        new RegExp(`of ${otherName}(?![-a-z])`).test(text),
      );
      if (isLeak) leaks.push(`${key.workspace} ${key.kind} ${path} contains ${otherName}`);
    }
    const mayRead = path.includes('/orders') ? key.sells : key.reads;
    if (seen.status !== (mayRead ? 200 : 403)) {
      leaks.push(`${key.workspace} ${key.kind} ${path} was answered ${seen.status}`);
    }
    if (!key.reads && seen.pets.length > 0) leaks.push(`${key.kind} may not read ${path}`);
    return seen;
  }

  const ids = Array.from({ length: petsEach }, (_, index) => index + 1);
  const queries = [
    '',
    '?limit=100',
    ...petStatuses.map((status) => `?status=${status}`),
    `?${ids.map((id) => `id=${id}`).join('&')}`,
    ...foreign.cursors.map((cursor) => `?limit=5&cursor=${cursor}`),
  ];
  for (const query of queries) {
    // The second answer may come from the response cache.
    await read(`/v1/pets${query}`);
    await read(`/v1/pets${query}`);
    for (const etag of foreign.etags) {
      await read(`/v1/pets${query}`, { headers: { 'if-none-match': etag } });
    }
    await read(`/v1/pets${query}`, { headers: { prefer: 'handling=lenient' } });
  }
  const more = ['categories', 'categories/1', 'store/orders', 'store/orders/1', 'store/inventory'];
  const searches = ['pets?name=of', 'store/orders?note=of'];
  const filters = ['pets?categoryId=1', 'store/orders?petId=1', 'store/orders?petId=1&petId=4'];
  for (const resource of [...more, ...searches, ...filters]) {
    const { status, body } = await read(`/v1/${resource}`);
    await read(`/v1/${resource}`);
    const orders = workspaceNames.indexOf(key.workspace) + 1;
    const isLocal =
      (resource !== 'store/orders' || JSON.parse(body).length === orders) &&
      (resource !== 'store/inventory' || JSON.parse(body).pending === petsEach / 3 + orders);
    if (status === 200 && !isLocal) leaks.push(`${key.workspace} got ${resource} of another`);
  }
  let path: string | undefined = '/v1/pets?limit=5';
  while (path !== undefined) path = nextPath(await read(path));
  for (const id of ids) {
    const { pets } = await read(`/v1/pets/${id}`);
    if (key.reads && pets[0]?.id !== BigInt(id)) leaks.push(`${key.workspace} lost ${id}`);
  }
  return { leaks, asked };
}

async function collectForeign(app: TestApp, keys: readonly WorkspaceKey[], own: WorkspaceName) {
  const cursors: string[] = [];
  const etags: string[] = [];
  for (const other of keys) {
    if (other.workspace === own || other.kind !== 'full') continue;
    const page = await ask(app, other, '/v1/pets?limit=5');
    const next = /[?&]cursor=([^&>]+)/.exec(page.headers.get('link') ?? '')?.[1];
    if (next !== undefined) cursors.push(next);
    etags.push(page.headers.get('etag') ?? '');
    etags.push((await ask(app, other, '/v1/pets')).headers.get('etag') ?? '');
    etags.push((await ask(app, other, '/v1/pets/1')).headers.get('etag') ?? '');
  }
  return { cursors, etags };
}

test('no operation shows a key the animals of another workspace, with all requests at once', async () => {
  await using app = await openTestApp();
  for (const name of workspaceNames) {
    if (name !== 'default')
      await app.database.write(background, 'createWorkspace', { name, now: app.now });
    await addPets(app, startPets(name), name);
    await addOrders(app, name);
  }
  const keys = await createKeys(app);
  const foreign = new Map(
    await Promise.all(
      workspaceNames.map(async (name) => [name, await collectForeign(app, keys, name)] as const),
    ),
  );
  const found = await Promise.all(
    keys.map((key) =>
      findLeaks(app, key, foreign.get(key.workspace) ?? { cursors: [], etags: [] }),
    ),
  );
  expect(found.flatMap(({ leaks }) => leaks)).toEqual([]);
  const asked = found.reduce((sum, each) => sum + each.asked, 0);
  expect(asked).toBeGreaterThan(keys.length * 100);
  expect(app.failures).toEqual([]);
});

test('records that one workspace adds exist only there, with any Idempotency-Key', async () => {
  await using app = await openTestApp();
  for (const name of workspaceNames) {
    if (name !== 'default')
      await app.database.write(background, 'createWorkspace', { name, now: app.now });
  }
  const keys = await createKeys(app);
  async function add(key: WorkspaceKey, name: string, once: string | undefined): Promise<Seen> {
    return ask(app, key, '/v1/pets', {
      method: 'POST',
      body: JSON.stringify({ name, categoryId: 1 }),
      headers: {
        'content-type': 'application/json',
        ...(once === undefined ? {} : { 'idempotency-key': once }),
      },
    });
  }

  // Each workspace uses equal keys for the same body, then for other bodies, then no key.
  const added = await Promise.all(
    keys.flatMap((key) => [
      add(key, 'the same', `same-${key.kind}`),
      add(key, `of ${key.workspace}`, `other-${key.kind}`),
      add(key, `of ${key.workspace}`, undefined),
    ]),
  );
  for (const [index, { status, headers }] of added.entries()) {
    const key = keys[Math.floor(index / 3)];
    expect(status).toBe(key?.writes ? 201 : 403);
    expect(headers.get('idempotent-replayed')).toBeNull();
  }
  const writers = keys.filter(({ writes }) => writes).length / workspaceNames.length;
  for (const { workspace, kind, ...key } of keys) {
    if (kind !== 'full') continue;
    const { pets } = await ask(app, key, '/v1/pets?limit=100');
    const count = 3 * writers;
    expect(pets.map(({ id }) => Number(id))).toEqual(
      Array.from({ length: count }, (_, index) => count - index),
    );
    const names = [...new Set(pets.map(({ name }) => name))].sort();
    expect(names).toEqual([`of ${workspace}`, 'the same'].sort());
  }
});
