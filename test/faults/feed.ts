import { compareAnswers } from './compare-answers.ts';
import { onPostgres, type PostgresDatabase } from './databases.ts';
import { startLoadOn } from './load.ts';
import type { LongTest, TestOptions, TestOutcome } from './long-test.ts';
import { request } from './requests.ts';

const writersPerServer = 8;
const eventsEveryDay = 4000;
const eventsOnDemand = 1_000_000;
const breakMilliseconds = 250;

const pageLimit = 100;

export const feed: LongTest = {
  name: 'event-feed-postgres',
  title: `${2 * writersPerServer} writers through two servers on PostgreSQL, a reader of the feed of each, and transactions broken at the same time`,
  run: (options) => onPostgres((database) => run(options, database)),
};

async function run({ long }: TestOptions, database: PostgresDatabase): Promise<TestOutcome> {
  const count = long ? eventsOnDemand : eventsEveryDay;
  await using one = await database.start();
  await using two = await database.start();
  const load = startLoadOn([one, two], {
    writersPerServer,
    readersPerServer: 0,
    namePrefix: 'Pet',
  });
  const created = load.acknowledged;
  const ended = Promise.withResolvers<number>();
  const readers = [one, two].map(({ origin }) => follow(origin, ended.promise));
  const breaks = await breakTransactions(database, () => created.size >= count);
  const { failed } = await load.stop();
  const { headers } = await request(`${one.origin}/v1/events?after=now`);
  ended.resolve(Number(headers.get('last-event-id')));
  const broken = new Set<string>();
  for (const { wrong, ids } of await Promise.all(readers)) {
    if (wrong !== undefined) broken.add(wrong);
    const missed = [...created.values()].filter((id) => !ids.has(id)).length;
    if (missed > 0) broken.add(`${missed} acknowledged animals have no event`);
  }
  for (const line of compareAnswers([load], await database.readAnimals())) broken.add(line);
  if (breaks === 0) broken.add('no transaction was broken');
  return {
    figures: [
      `${created.size} acknowledged, each once in the feed of both readers`,
      `${failed} requests failed, ${breaks} connections broken`,
      [...broken].join(', ') || 'no gap',
    ],
    broken: [...broken],
  };
}

/** Ends busy connections of both servers again and again. Returns how many. */
async function breakTransactions(
  { sql }: PostgresDatabase,
  isEnough: () => boolean,
): Promise<number> {
  let breaks = 0;
  while (!isEnough()) {
    await Bun.sleep(breakMilliseconds);
    const rows = await sql(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE application_name = 'animal-store' AND state <> 'idle' LIMIT 2`,
    );
    breaks += rows.length;
  }
  return breaks;
}

/** Reads the feed up to its last event. Returns the ids of the animals and the first error. */
async function follow(origin: string, ended: Promise<number>) {
  const ids = new Set<number>();
  let position = 0;
  let last = Number.POSITIVE_INFINITY;
  ended.then((sequence) => {
    last = sequence;
  });
  while (position < last) {
    const { httpStatus, body: events = [] } = await request<
      { sequence: number; data: { id: number } }[]
    >(`${origin}/v1/events?after=${position}&limit=${pageLimit}&wait=1`);
    // A connection is being broken.
    if (httpStatus === 503) continue;
    if (httpStatus !== 200) return { ids, wrong: `a reader got ${httpStatus}` };
    for (const { sequence, data } of events) {
      if (sequence !== position + 1) return { ids, wrong: `${sequence} came after ${position}` };
      if (ids.has(data.id)) return { ids, wrong: `animal ${data.id} came twice` };
      ids.add(data.id);
      position = sequence;
    }
  }
  return { ids, wrong: undefined };
}
