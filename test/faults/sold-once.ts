import { readFeed, replay } from '../support/replay-feed.ts';
import { runProgram, type ServerProcess } from '../support/server-process.ts';
import { onPostgres, onSqlite, type TestDatabase } from './databases.ts';
import { linesOf } from './figures.ts';
import type { LongTest, TestOptions, TestOutcome } from './long-test.ts';
import { authorization, readPages, request } from './requests.ts';

const buyers = 200;
const roundsEveryDay = 20;
const roundsOnDemand = 1000;
/** Every fifth round has a kill. */
const killEvery = 5;
const attemptsMax = 500;

export const soldOnce: readonly LongTest[] = [
  {
    name: 'sold-once-sqlite',
    title: `${buyers} buyers order one animal at the same time, and the server is killed (SIGKILL) in some rounds`,
    run: (options) =>
      onSqlite((database) => sell(options, database, 1, (servers) => killOne(database, servers))),
  },
  {
    name: 'sold-once-postgres',
    title: `${buyers} buyers order one animal at the same time through three servers on PostgreSQL, and a server or PostgreSQL is killed in some rounds`,
    run: (options) =>
      onPostgres((database) =>
        sell(options, database, 3, async (servers, round) => {
          if (round % (2 * killEvery) !== 0) return await killOne(database, servers);
          await database.postgres.end('SIGQUIT');
          await database.postgres.start();
        }),
      ),
  },
];

/** Kills something. Returns when all servers are ready again. */
type Kill = (servers: ServerProcess[], round: number) => Promise<void>;

async function killOne(database: TestDatabase, servers: ServerProcess[]): Promise<void> {
  await servers[0]?.stop('SIGKILL');
  servers.push(await database.start());
  servers.shift();
}

async function sell(
  { long }: TestOptions,
  database: TestDatabase,
  serverCount: number,
  kill: Kill,
): Promise<TestOutcome> {
  const rounds = long ? roundsOnDemand : roundsEveryDay;
  const servers: ServerProcess[] = [];
  await using stack = new AsyncDisposableStack();
  stack.defer(async () => {
    for (const server of servers) await server[Symbol.asyncDispose]();
  });
  while (servers.length < serverCount) servers.push(await database.start());
  const shop = openShop(servers);
  const broken = new Set<string>();
  const counts = { available: 0, pending: 0, sold: 0 };
  let kills = 0;
  for (let round = 1; round <= rounds; round += 1) {
    const petId = Number((await shop.send('/pets', 'POST', { name: 'Rex', categoryId: 1 })).id);
    const isKilled = round % killEvery === 0;
    const orders = Array.from({ length: buyers }, (_, buyer) =>
      shop.send('/store/orders', 'POST', { petId }, buyer),
    );
    if (isKilled) {
      // Kills between the first order and the last.
      await Bun.sleep(round % 7);
      await kill(servers, round);
      kills += 1;
    }
    const answers = await Promise.all(orders);
    const won = answers.filter(({ httpStatus }) => httpStatus === 201);
    if (won.length !== 1) broken.add(`animal ${petId} was sold ${won.length} times`);
    for (const { httpStatus, code } of answers) {
      if (httpStatus === 201 || code === 'pet_not_available') continue;
      broken.add(`a buyer got ${httpStatus} ${code}`);
    }
    const end = (['pending', 'sold', 'available'] as const)[round % 3] ?? 'pending';
    counts[end] += 1;
    const found = await endOrder(shop, petId, end);
    if (found !== undefined) broken.add(found);
    const inventory = await shop.read<Record<string, number>>('/store/inventory');
    if (!Bun.deepEquals(inventory, counts)) {
      broken.add(`the counts are ${JSON.stringify(inventory)}`);
    }
    if (!isKilled) continue;
    const { exitCode, stderr } = await runProgram(['verify'], { DATABASE_URL: database.url });
    if (exitCode !== 0) broken.add(stderr.trim());
  }
  for (const line of await compareFeed(shop)) broken.add(line);
  const statuses = [...shop.statuses].map(([status, times]) => `${times} of ${status || 'none'}`);
  return {
    figures: [
      `${rounds} animals, ${buyers} buyers each, ${kills} kills`,
      [...broken].slice(0, 5).join(', ') || 'each sold once',
      `answers: ${statuses.join(', ')}`,
    ],
    broken: [...broken],
  };
}

interface ShopAnswer {
  readonly httpStatus: number;
  readonly code?: string;
  readonly id?: number;
}

interface Shop {
  /** Number of answers to orders by HTTP status; 0 for no answer. */
  readonly statuses: ReadonlyMap<number, number>;
  /** Repeats a write under one `Idempotency-Key` until its outcome is known, as a client must. */
  send(path: string, method: string, content?: object, buyer?: number): Promise<ShopAnswer>;
  read<Body>(path: string): Promise<Body>;
  /** The base address of the first server, or of the server of a buyer. */
  baseUrl(buyer?: number): string;
}

function openShop(servers: readonly ServerProcess[]): Shop {
  const statuses = new Map<number, number>();
  let keys = 0;
  const baseUrl = (index = 0) => `${servers[index % servers.length]?.origin}/v1`;
  return {
    statuses,
    async send(path, method, content, buyer) {
      keys += 1;
      const headers = { 'idempotency-key': `request-${keys}` };
      for (let attempt = 1; attempt <= attemptsMax; attempt += 1) {
        const { httpStatus, body } = await request<Omit<ShopAnswer, 'httpStatus'>>(
          baseUrl(buyer) + path,
          { method, headers, ...(content && { content }) },
        );
        if (buyer !== undefined) statuses.set(httpStatus, (statuses.get(httpStatus) ?? 0) + 1);
        const isOpen = [0, 503].includes(httpStatus) || body?.code === 'idempotency_in_progress';
        if (!isOpen) return { httpStatus, ...body };
        await Bun.sleep(20);
      }
      throw new Error(`${method} ${path} got no answer`);
    },
    async read<Body>(path: string) {
      for (let attempt = 1; attempt <= attemptsMax; attempt += 1) {
        const { httpStatus, body } = await request<Body>(baseUrl() + path);
        if (httpStatus === 200 && body !== undefined) return body;
        await Bun.sleep(20);
      }
      throw new Error(`GET ${path} got no answer`);
    },
    baseUrl,
  };
}

/** Finds the one order of an animal and ends it. Returns what is wrong. */
async function endOrder(shop: Shop, petId: number, end: string): Promise<string | undefined> {
  const orders = await shop.read<{ id: number; status: string }[]>(`/store/orders?petId=${petId}`);
  const [order] = orders;
  if (order === undefined || orders.length > 1 || order.status !== 'pending') {
    return `animal ${petId} has the orders ${JSON.stringify(orders)}`;
  }
  const path = `/store/orders/${order.id}`;
  if (end === 'sold') await shop.send(path, 'PATCH', { status: 'shipped' });
  if (end === 'available') await shop.send(path, 'DELETE');
  const { status } = await shop.read<{ status: string }>(`/pets/${petId}`);
  return status === end ? undefined : `animal ${petId} is ${status} and not ${end}`;
}

/** All events together must give the animals and orders that exist. */
async function compareFeed({ baseUrl }: Shop): Promise<string[]> {
  const get = (path: string) => fetch(`${baseUrl()}${path}`, { headers: authorization });
  const { records, wrong } = replay(await readFeed(get));
  if (wrong !== undefined) return [`an event does not fit the earlier events: ${wrong}`];
  let existing = 0;
  let differing = 0;
  for (const [kind, list] of [
    ['pet', '/pets'],
    ['order', '/store/orders'],
  ]) {
    for await (const { body = [] } of readPages<{ id: number }>(`${baseUrl()}${list}?limit=100`)) {
      existing += body.length;
      const isOther = (record: { id: number }) =>
        records.get(`${kind} ${record.id}`) !== JSON.stringify(record);
      differing += body.filter(isOther).length;
    }
  }
  return linesOf(
    (existing !== records.size || differing > 0) &&
      `the feed gives ${records.size} records, ${existing} exist, ${differing} differ`,
  );
}
