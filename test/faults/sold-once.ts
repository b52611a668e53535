import { administer } from '../support/postgres.ts';
import { type PostgresServer, startPostgresServer } from '../support/postgres-server.ts';
import { readFeed, replay } from '../support/replay.ts';
import { runProgram, type ServerProcess, startServerProcess } from '../support/server-process.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import type { Fault, FaultOptions, FaultOutcome } from './fault.ts';
import { apiKey, authorization } from './sqlite-rig.ts';

const promise =
  'Of any number of buyers of one animal, exactly one gets it, and the others are told; after every kill, animal, order and counts agree.';

const buyers = 200;
const roundsEveryDay = 50;
const roundsOnDemand = 1000;
/** In every so many rounds, something is killed. */
const killEvery = 5;

export const soldOnce: readonly Fault[] = [
  {
    name: 'sold-once-sqlite',
    title: `${buyers} buyers at once for one animal, and the server killed (SIGKILL) in between`,
    promise,
    run: runSqlite,
  },
  {
    name: 'sold-once-postgres',
    title: `${buyers} buyers at once for one animal through three servers on PostgreSQL, and a server or PostgreSQL killed in between`,
    promise,
    run: runPostgres,
  },
];

/** Servers that share their data. */
interface Shop {
  readonly databaseUrl: string;
  origins(): readonly string[];
  /** Kills something, and returns once all serve again. */
  kill(round: number): Promise<void>;
}

async function runSqlite({ long }: FaultOptions): Promise<FaultOutcome> {
  using folder = makeTemporaryFolder();
  const databaseUrl = `sqlite:${folder.path}/animals.db`;
  await using servers = new AsyncDisposableStack();
  const start = () => startServer(servers, databaseUrl);
  let server = await start();
  return await sell(long, {
    databaseUrl,
    origins: () => [server.origin],
    async kill() {
      await server.stop('SIGKILL');
      server = await start();
    },
  });
}

async function runPostgres({ long }: FaultOptions): Promise<FaultOutcome> {
  await using postgres = await startPostgresServer();
  await administer(postgres.url, 'CREATE DATABASE shop');
  const databaseUrl = `${postgres.url}/shop`;
  await using started = new AsyncDisposableStack();
  const start = () => startServer(started, databaseUrl);
  const servers = [await start(), await start(), await start()];
  return await sell(long, {
    databaseUrl,
    origins: () => servers.map(({ origin }) => origin),
    async kill(round) {
      if (round % (2 * killEvery) === 0) {
        await killPostgres(postgres);
        return;
      }
      await servers.shift()?.stop('SIGKILL');
      servers.push(await start());
    },
  });
}

async function killPostgres(postgres: PostgresServer): Promise<void> {
  await postgres.end('SIGQUIT');
  await postgres.start();
}

async function startServer(
  started: AsyncDisposableStack,
  databaseUrl: string,
): Promise<ServerProcess> {
  return started.use(
    await startServerProcess(databaseUrl, { env: { ANIMAL_STORE_API_KEY: apiKey } }),
  );
}

async function sell(long: boolean, shop: Shop): Promise<FaultOutcome> {
  const rounds = long ? roundsOnDemand : roundsEveryDay;
  const broken: string[] = [];
  const statuses = new Map<number, number>();
  const counts = { available: 0, pending: 0, sold: 0 };
  let kills = 0;
  for (let round = 1; round <= rounds; round += 1) {
    const petId = await addAnimal(shop);
    const isKilled = round % killEvery === 0;
    const answers = Array.from({ length: buyers }, (_, buyer) => buy(shop, petId, buyer, statuses));
    if (isKilled) {
      // From the very first order to the last.
      await Bun.sleep(round % 7);
      await shop.kill(round);
      kills += 1;
    }
    const told = await Promise.all(answers);
    const won = told.filter((answer) => answer.status === 201);
    if (won.length !== 1) broken.push(`animal ${petId} was sold ${won.length} times`);
    const others = told.filter(
      ({ status, code }) => status !== 201 && code !== 'pet_not_available',
    );
    for (const { status, code } of others) broken.push(`a buyer was told ${status} ${code}`);
    const end = (['pending', 'sold', 'available'] as const)[round % 3] ?? 'pending';
    counts[end] += 1;
    broken.push(...(await endOrder(shop, petId, end)), ...(await compareCounts(shop, counts)));
    if (!isKilled) continue;
    const { exitCode, stderr } = await runProgram(['verify'], { DATABASE_URL: shop.databaseUrl });
    if (exitCode !== 0) broken.push(stderr.trim());
  }
  broken.push(...(await compareFeed(shop)));
  const told = [...statuses].map(([status, times]) => `${times} of ${status || 'none'}`);
  return {
    figures: [
      `${rounds} animals, ${buyers} buyers each, ${kills} kills`,
      broken.length === 0 ? 'each sold once' : [...new Set(broken)].slice(0, 5).join(', '),
      `answers: ${told.join(', ')}`,
    ],
    broken: [...new Set(broken)],
  };
}

const json = { ...authorization, 'content-type': 'application/json' } as const;

interface Answer {
  readonly status: number;
  readonly code: string | undefined;
  readonly body: Record<string, unknown>;
}

/** Asks until there is an answer that says how it ended, as a client should: under one Idempotency-Key. */
async function ask(
  origin: () => string,
  path: string,
  method: string,
  body: unknown,
  idempotencyKey: string,
  statuses = new Map<number, number>(),
): Promise<Answer> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      const response = await fetch(`${origin()}/v1${path}`, {
        method,
        headers: { ...json, 'idempotency-key': idempotencyKey },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(20_000),
      });
      const text = await response.text();
      const { status } = response;
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      const read = text === '' ? {} : JSON.parse(text);
      if (status !== 503 && read.code !== 'idempotency_in_progress') {
        return { status, code: read.code, body: read };
      }
    } catch (error) {
      // There was no answer: the server was killed.
      statuses.set(0, (statuses.get(0) ?? 0) + 1);
      if (attempt > 500) throw error;
    }
    if (attempt > 500) throw new Error(`${method} ${path} got no answer`);
    await Bun.sleep(20);
  }
}

let requests = 0;

function nextKey(): string {
  requests += 1;
  return `request-${requests}`;
}

async function addAnimal(shop: Shop): Promise<number> {
  const animal = { name: 'Rex', categoryId: 1 };
  const { body } = await ask(() => shop.origins()[0] ?? '', '/pets', 'POST', animal, nextKey());
  return Number(body.id);
}

function buy(
  shop: Shop,
  petId: number,
  buyer: number,
  statuses: Map<number, number>,
): Promise<Answer> {
  const origin = () => shop.origins()[buyer % shop.origins().length] ?? '';
  return ask(origin, '/store/orders', 'POST', { petId }, nextKey(), statuses);
}

/** Finds the one order of an animal, and ends it as it should. */
async function endOrder(shop: Shop, petId: number, end: string): Promise<string[]> {
  const origin = () => shop.origins()[0] ?? '';
  const found = await read<{ id: number; status: string }[]>(shop, `/store/orders?petId=${petId}`);
  const [order] = found;
  if (order === undefined || found.length > 1 || order.status !== 'pending') {
    return [`animal ${petId} has the orders ${JSON.stringify(found)}`];
  }
  const path = `/store/orders/${order.id}`;
  if (end === 'sold') await ask(origin, path, 'PATCH', { status: 'shipped' }, nextKey());
  if (end === 'available') await ask(origin, path, 'DELETE', undefined, nextKey());
  const { status } = await read<{ status: string }>(shop, `/pets/${petId}`);
  return status === end ? [] : [`animal ${petId} is ${status} and not ${end}`];
}

async function compareCounts(shop: Shop, counts: Record<string, number>): Promise<string[]> {
  const found = await read<Record<string, number>>(shop, '/store/inventory');
  return Bun.deepEquals(found, counts) ? [] : [`the counts are ${JSON.stringify(found)}`];
}

/** What the feed tells from its beginning comes to the animals and orders that there are. */
async function compareFeed(shop: Shop): Promise<string[]> {
  const get = (path: string) => fetch(`${shop.origins()[0]}/v1${path}`, { headers: authorization });
  const { records, wrong } = replay(await readFeed(get));
  if (wrong !== undefined) return [`an event does not fit those before it: ${wrong}`];
  const there = new Map([
    ...(await readAll(get, 'pet', '/pets?limit=100')),
    ...(await readAll(get, 'order', '/store/orders?limit=100')),
  ]);
  const differing = [...there].filter(([key, text]) => records.get(key) !== text);
  return there.size === records.size && differing.length === 0
    ? []
    : [`the feed comes to ${records.size} records, and there are ${there.size}`];
}

/** Walks a list to its end; each record by its kind and id. */
async function readAll(
  get: (path: string) => Promise<Response>,
  kind: string,
  first: string,
): Promise<[string, string][]> {
  const found: [string, string][] = [];
  for (let path: string | undefined = first; path !== undefined; ) {
    const response: Response = await get(path);
    const records = (await response.json()) as { id: number }[];
    found.push(
      ...records.map((record): [string, string] => [
        `${kind} ${record.id}`,
        JSON.stringify(record),
      ]),
    );
    path = /<[^>]+\/v1([^>]*)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1];
  }
  return found;
}

async function read<Body>(shop: Shop, path: string): Promise<Body> {
  for (let attempt = 1; ; attempt += 1) {
    const response = await fetch(`${shop.origins()[0]}/v1${path}`, { headers: authorization });
    if (response.ok) return (await response.json()) as Body;
    if (attempt > 500) throw new Error(`GET ${path} answered ${response.status}`);
    await Bun.sleep(20);
  }
}
