import { administer } from '../support/postgres.ts';
import { startPostgresServer } from '../support/postgres-server.ts';
import { runProgram, type ServerProcess, startServerProcess } from '../support/server-process.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import {
  compareAnswers,
  countAcknowledged,
  type StoredAnimal,
  seconds,
  storedAnimalsQuery,
  type Told,
} from './compare-answers.ts';
import type { Fault, FaultOutcome } from './fault.ts';
import { type LoadReport, startLoad } from './load.ts';
import { sqliteDataIn } from './sqlite-rig.ts';
import { makeWallClock, missingForWallClock, type WallClock } from './wall-clock.ts';

const apiKey = 'key-of-the-fault-runs-0001';
const answerMillisecondsMax = 5000;

const hour = 3600;
const day = 24 * hour;
const year = 365 * day;
const keyLifeDays = 30;
const getPetIsRemovedAt = Date.UTC(2030, 11, 5);

/** What the clock of each server says when it starts, and to what it jumps under it: seconds ahead of the real time. */
const lives = [
  { startsAt: 0, jumpsTo: [hour, 0, -hour, -day, 10 * year, 0] },
  { startsAt: -day, jumpsTo: [secondsUntil('2100-01-01'), 0] },
  { startsAt: secondsUntil('1971-01-01'), jumpsTo: [0, -hour] },
] as const;

function secondsUntil(date: string): number {
  return Math.round((Date.parse(date) - Date.now()) / 1000);
}

const promise =
  'No acknowledged animal is lost, ids go on rising and pages hold still; every request is answered within 5 s as if ' +
  'nothing had happened; rate limits go on; a revoked key stays refused. Only what ends at a date goes by the clock: a ' +
  'key that expires, an overlap, getPet, the day of an Idempotency-Key.';

/** Where animals are kept; the clock of that is the real one. */
interface Store {
  readonly url: string;
  readAnimals(): StoredAnimal[] | Promise<StoredAnimal[]>;
}

export const clocks: readonly Fault[] = [
  {
    name: 'clock',
    title:
      'the clock set forward and back, by an hour to a century, under a server and between two',
    promise,
    missing: missingForWallClock,
    run: async () => {
      using folder = makeTemporaryFolder();
      const store = sqliteDataIn(folder.path);
      return await runLives({ url: `sqlite:${store.path}`, readAnimals: store.readAnimals });
    },
  },
  {
    name: 'postgres-clock',
    title: 'the same on PostgreSQL, whose own clock stays right',
    promise,
    missing: missingForWallClock,
    run: async () => {
      await using postgres = await startPostgresServer();
      const select = storedAnimalsQuery('postgres');
      return await runLives({
        url: `${postgres.url}/postgres`,
        readAnimals: async () =>
          (await administer(postgres.url, select)) as unknown as StoredAnimal[],
      });
    },
  },
];

async function runLives(store: Store): Promise<FaultOutcome> {
  using folder = makeTemporaryFolder();
  const clock = makeWallClock(folder.path);
  const keys = makeKeys(store, clock);
  const limited = await keys.create('limited', '--rate-limit', '1/s');
  const expiring = await keys.create('expiring', '--expires', `${keyLifeDays}d`);
  const probes: Probes = { limited, expiring, revoked: [], acknowledged: new Map() };
  const told: Told[] = [
    { acknowledged: probes.acknowledged, unknown: new Set(), refused: new Set() },
  ];
  const broken = new Set<string>();
  const reports: LoadReport[] = [];
  for (const [life, { startsAt, jumpsTo }] of lives.entries()) {
    clock.set(startsAt);
    await using server = await startServerProcess(store.url, {
      env: { ANIMAL_STORE_API_KEY: apiKey, ...clock.env },
    });
    const load = startLoad({
      origins: [server.origin],
      apiKey,
      writersPerServer: 4,
      readersPerServer: 2,
      namePrefix: `Life ${life}`,
      hasIdempotencyKeys: true,
    });
    told.push(load);
    for (const to of jumpsTo) {
      // What was revoked a moment ago is what a clock that goes back could forget.
      if (to < clock.offsetSeconds) probes.revoked.push(await keys.createRevoked());
      for (const line of await jump(server, clock, to, probes)) broken.add(line);
    }
    reports.push(await load.stop());
    if ((await server.stop('SIGTERM')) !== 0) broken.add('a server did not end with 0');
  }
  const wrong = compareAnswers(told, await store.readAnimals());
  for (const line of wrong) broken.add(line);
  const requests = reports.reduce((sum, report) => sum + report.requests, 0);
  const well = reports.reduce((sum, { statuses }) => sum + good(statuses), 0);
  const longest = Math.max(...reports.map(({ longestMilliseconds }) => longestMilliseconds));
  if (well < requests) broken.add(`${requests - well} requests were not answered 200 or 201`);
  const jumps = lives.reduce((sum, { jumpsTo }) => sum + jumpsTo.length, 0);
  return {
    figures: [
      `${jumps} jumps, ${lives.length} starts`,
      `${countAcknowledged(told)} acknowledged, ${wrong.length === 0 ? 'none lost' : wrong.join(', ')}`,
      `${well} of ${requests} answered 200 or 201, the longest in ${seconds(longest)}`,
      `${probes.revoked.length} keys revoked`,
    ],
    broken: [...broken],
    late: longest > answerMillisecondsMax ? [`an answer took ${seconds(longest)}`] : [],
  };
}

function good(statuses: LoadReport['statuses']): number {
  return (statuses[200] ?? 0) + (statuses[201] ?? 0);
}

/** Makes and revokes keys as an operator does, by the clock of the servers. */
function makeKeys({ url }: Store, clock: WallClock) {
  async function run(...args: string[]): Promise<string> {
    const result = await runProgram(['keys', ...args, '--database', url, '--json'], clock.env);
    if (result.exitCode !== 0) throw new Error(`keys ${args.join(' ')}: ${result.stderr}`);
    return result.stdout;
  }
  async function make(name: string, ...options: string[]) {
    const text = await run('create', '--name', name, ...options);
    return JSON.parse(text) as { id: number; apiKey: string };
  }
  return {
    create: async (name: string, ...options: string[]) => (await make(name, ...options)).apiKey,
    async createRevoked(): Promise<string> {
      const { id, apiKey } = await make('revoked');
      await run('revoke', String(id));
      return apiKey;
    },
  };
}

interface Probes {
  /** A key with a rate limit of its own. */
  readonly limited: string;
  /** A key that expires. */
  readonly expiring: string;
  readonly revoked: string[];
  /** Name and id of what was added beside the load. */
  readonly acknowledged: Map<string, number>;
}

/** Sets the clock, and compares what is answered with what was before; returns what is wrong, a line each. */
async function jump(
  { origin }: ServerProcess,
  clock: WallClock,
  to: number,
  probes: Probes,
): Promise<string[]> {
  const from = clock.offsetSeconds;
  const wrong: string[] = [];
  function expect(what: string, found: unknown, wanted: unknown): void {
    const moved = `after the clock went from ${describe(from)} to ${describe(to)}`;
    if (found !== wanted) wrong.push(`${what} ${found} and not ${wanted} ${moved}`);
  }
  const get = (path: string, key = apiKey) => send(`${origin}${path}`, key);

  const before = await addOnce(origin, probes);
  const firstPage = await get('/v1/pets?limit=100');
  while ((await get('/v1/pets?limit=1', probes.limited)).httpStatus === 200);

  clock.set(to);
  if (!(await hasArrived(origin, clock))) return [`the clock of the server stays at ${from}`];
  const spentAt = performance.now();

  // The promise is a day by the clock, so a jump beyond that ends it.
  if (to - from < day) {
    const again = await addOnce(origin, probes, before);
    expect('an animal asked for again has the id', again.id, before.id);
    expect('it was answered from what was stored:', again.isReplayed, true);
  }
  const after = await addOnce(origin, probes);
  expect('a new id is higher:', after.id > before.id, true);
  expect('ids that a walk meets fall by 1:', await isWhole(firstPage), true);
  expect('/readyz answers', (await get('/readyz')).httpStatus, 200);

  const isGone = clock.now() >= getPetIsRemovedAt;
  expect('getPet answers', (await get('/v1/pets/1')).httpStatus, isGone ? 410 : 200);
  const isExpired = to >= keyLifeDays * day;
  const expiring = await get('/v1/pets?limit=1', probes.expiring);
  expect('a key that expires gets', expiring.httpStatus, isExpired ? 401 : 200);
  for (const key of probes.revoked) {
    expect('a revoked key gets', (await get('/v1/pets?limit=1', key)).httpStatus, 401);
  }
  // By the steady clock there is room again for one that comes a second after the last.
  await Bun.sleep(Math.max(0, spentAt + 1000 - performance.now()));
  const limited = await get('/v1/pets?limit=1', probes.limited);
  expect('a key at its limit gets, a second later,', limited.httpStatus, 200);
  return wrong;

  /** Follows a walk that was begun before: each animal that stood then is met once, in order. */
  async function isWhole(first: Answer): Promise<boolean> {
    const ids: number[] = [];
    let page = first;
    for (let count = 0; count < 10; count += 1) {
      ids.push(...(page.body as { id: number }[]).map(({ id }) => id));
      const next = /<([^>]+)>; rel="next"/.exec(page.headers.get('link') ?? '')?.[1];
      if (next === undefined) break;
      page = await send(next, apiKey);
    }
    return ids.every((id, index) => index === 0 || id === (ids[index - 1] ?? 0) - 1);
  }
}

function describe(offsetSeconds: number): string {
  return new Date(Date.now() + offsetSeconds * 1000).toISOString().slice(0, 16);
}

interface Answer {
  readonly httpStatus: number;
  readonly headers: Headers;
  readonly body: unknown;
}

async function send(url: string, key: string, init: RequestInit = {}): Promise<Answer> {
  const response = await fetch(url, {
    ...init,
    headers: { authorization: `Bearer ${key}`, ...(init.headers as Record<string, string>) },
    signal: AbortSignal.timeout(20_000),
  });
  const { status: httpStatus, headers } = response;
  const text = await response.text();
  return { httpStatus, headers, body: text.startsWith('ok') ? text : JSON.parse(text) };
}

/** Adds an animal under an `Idempotency-Key`: a new one, or one that was added before. */
async function addOnce(
  origin: string,
  { acknowledged }: Probes,
  { name } = { name: `Probe ${acknowledged.size}` },
) {
  const { httpStatus, headers, body } = await send(`${origin}/v1/pets`, apiKey, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': name.replaceAll(' ', '-') },
    body: JSON.stringify({ name, categoryId: 1 }),
  });
  if (httpStatus !== 201) throw new Error(`An animal was answered ${JSON.stringify(body)}`);
  const { id } = body as { id: number };
  acknowledged.set(name, id);
  return { id, name, isReplayed: headers.get('idempotent-replayed') === 'true' };
}

/** Whether the answers of a server are dated as the clock says, within a second or two of being told so. */
async function hasArrived(origin: string, clock: WallClock): Promise<boolean> {
  const patience = performance.now() + 5000;
  while (performance.now() < patience) {
    const { headers } = await fetch(`${origin}/livez`);
    const date = Date.parse(headers.get('date') ?? '');
    if (Math.abs(date - clock.now()) < 3000) return true;
    await Bun.sleep(10);
  }
  return false;
}
