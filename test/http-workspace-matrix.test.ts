import { expect, test } from 'bun:test';
import { background } from '../src/context/context.ts';
import { type Pet, petStatuses } from '../src/domain/pet.ts';
import { nextCursor, nextPath, parseExactly, readIds } from './support/answers.ts';
import { addPets, addWorkspace } from './support/catalogue.ts';
import { rotateKey } from './support/new-key.ts';
import { openTestApp, type TestApp } from './support/test-app.ts';

const workspaceNames = ['default', 'north', 'south', 'north-east'] as const;
type WorkspaceName = (typeof workspaceNames)[number];
const petsEach = 12;

interface WorkspaceKey {
  readonly workspace: WorkspaceName;
  readonly kind: string;
  readonly apiKey: string;
  readonly reads: boolean;
  readonly sells: boolean;
}

/** Several keys of each workspace: every scope, and both keys of a rotation. */
async function createKeys(app: TestApp): Promise<WorkspaceKey[]> {
  const keys: WorkspaceKey[] = [];
  for (const workspace of workspaceNames) {
    const all = { workspace, reads: true, sells: true };
    const { text: full } = await app.createKey({ workspace });
    keys.push({ ...all, kind: 'full', apiKey: full });
    const { text: reader } = await app.createKey({ workspace, scopes: ['pets:read'] });
    keys.push({ ...all, kind: 'reader', apiKey: reader, sells: false });
    const { text: writer } = await app.createKey({ workspace, scopes: ['pets:write'] });
    keys.push({ ...all, kind: 'writer', apiKey: writer, reads: false, sells: false });
    const { text: rotated, id } = await app.createKey({ workspace });
    const rotation = { id, overlapMilliseconds: 3_600_000, now: app.now };
    const successor = await rotateKey(app.database, rotation);
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
    cursors.push(nextCursor(page));
    etags.push(page.headers.get('etag') ?? '');
    etags.push((await ask(app, other, '/v1/pets')).headers.get('etag') ?? '');
    etags.push((await ask(app, other, '/v1/pets/1')).headers.get('etag') ?? '');
  }
  return { cursors, etags };
}

test('no operation shows a key the animals of another workspace, with all requests at once', async () => {
  await using app = await openTestApp();
  for (const name of workspaceNames) {
    if (name !== 'default') await addWorkspace(app, name);
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

test('a record that is added under the same Idempotency-Key in two workspaces exists in both', async () => {
  await using app = await openTestApp();
  const keys = [app.apiKey, await addWorkspace(app, 'north')];
  for (const apiKey of keys) {
    const headers = { 'idempotency-key': 'same' };
    const body = { name: 'Rex', categoryId: 1 };
    const added = await app.write('POST', '/v1/pets', body, { apiKey, headers });
    expect([added.status, added.headers.get('idempotent-replayed')]).toEqual([201, null]);
  }
  for (const apiKey of keys)
    expect(await readIds(await app.send('/v1/pets', { apiKey }))).toEqual([1]);
});
