import { administer } from '../support/postgres.ts';
import { startPostgresServer } from '../support/postgres-server.ts';
import { startServerProcess } from '../support/server-process.ts';
import type { Fault, FaultOptions, FaultOutcome } from './fault.ts';
import { apiKey, authorization } from './sqlite-rig.ts';

const writersPerServer = 8;
const eventsEveryDay = 10_000;
const eventsOnDemand = 1_000_000;
const breakMilliseconds = 250;

/** Of the list; the tailing reader waits where there is nothing. */
const pageLimit = 100;

export const feed: Fault = {
  name: 'feed-postgres',
  title: `${2 * writersPerServer} writers through two servers on PostgreSQL, a reader that follows the feed of each, and transactions broken in between`,
  promise:
    'The feed has no gap, its order is that of the commits, and each reader sees each event once; whatever fails leaves no event.',
  run,
};

async function run({ long }: FaultOptions): Promise<FaultOutcome> {
  const count = long ? eventsOnDemand : eventsEveryDay;
  await using postgres = await startPostgresServer();
  await administer(postgres.url, 'CREATE DATABASE feed');
  const url = `${postgres.url}/feed`;
  const start = () => startServerProcess(url, { env: { ANIMAL_STORE_API_KEY: apiKey } });
  await using one = await start();
  await using two = await start();
  const origins = [one.origin, two.origin];
  const created = new Set<number>();
  let failed = 0;
  const isEnough = () => created.size >= count;

  async function write(origin: string): Promise<void> {
    while (!isEnough()) {
      const response = await fetch(`${origin}/v1/pets`, {
        method: 'POST',
        headers: { ...authorization, 'content-type': 'application/json' },
        body: '{"name":"Rex","categoryId":1}',
      });
      const { id } = (await response.json()) as { id: number };
      if (response.status === 201) created.add(id);
      else failed += 1;
    }
  }

  const ended = Promise.withResolvers<number>();
  const readers = origins.map((origin) => follow(origin, ended.promise));
  const breaking = breakTransactions(postgres.url, isEnough);
  await Promise.all(
    origins.flatMap((origin) => Array.from({ length: writersPerServer }, () => write(origin))),
  );
  const breaks = await breaking;
  const head = await fetch(`${one.origin}/v1/events?after=now`, { headers: authorization });
  ended.resolve(Number(head.headers.get('last-event-id')));
  const broken = new Set<string>();
  for (const { wrong, ids } of await Promise.all(readers)) {
    if (wrong !== undefined) broken.add(wrong);
    const missed = [...created].filter((id) => !ids.has(id)).length;
    if (missed > 0) broken.add(`${missed} acknowledged animals have no event`);
  }
  const rows = await administer(postgres.url, strays, 'feed');
  if (Number(rows[0]?.count) > 0)
    broken.add(`${rows[0]?.count} events or animals have no other half`);
  if (breaks === 0) broken.add('no transaction was broken');
  return {
    figures: [
      `${created.size} acknowledged, each once in both readers' feeds`,
      `${failed} requests failed, ${breaks} connections broken`,
      broken.size === 0 ? 'no gap' : [...broken].join(', '),
    ],
    broken: [...broken],
  };
}

const strays = `
  SELECT count(*)::int AS count FROM animal_store.pets FULL JOIN animal_store.events
    ON (json::json -> 'data' ->> 'id')::bigint = pets.id
  WHERE pets.id IS NULL OR sequence IS NULL`;

/** Ends connections of both servers again and again, whatever they are doing. */
async function breakTransactions(url: string, isEnough: () => boolean): Promise<number> {
  let breaks = 0;
  while (!isEnough()) {
    await Bun.sleep(breakMilliseconds);
    const rows = await administer(
      url,
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE application_name = 'animal-store' AND state <> 'idle' LIMIT 2`,
      'feed',
    );
    breaks += rows.length;
  }
  return breaks;
}

/** Follows the feed up to its head, and tells what was not as it should be. */
async function follow(origin: string, ended: Promise<number>) {
  const ids = new Set<number>();
  let position = 0;
  let head = Number.POSITIVE_INFINITY;
  ended.then((found) => {
    head = found;
  });
  while (position < head) {
    const response = await fetch(
      `${origin}/v1/events?after=${position}&limit=${pageLimit}&wait=1`,
      { headers: authorization },
    );
    // While a connection is broken.
    if (response.status === 503) continue;
    if (!response.ok) return { ids, wrong: `a reader was answered ${response.status}` };
    const events = (await response.json()) as { sequence: number; data: { id: number } }[];
    for (const { sequence, data } of events) {
      if (sequence !== position + 1) return { ids, wrong: `${sequence} came after ${position}` };
      if (ids.has(data.id)) return { ids, wrong: `animal ${data.id} came twice` };
      ids.add(data.id);
      position = sequence;
    }
  }
  return { ids, wrong: undefined };
}
