import { runProgram, type ServerProcess } from '../support/server-process.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import { type ClientAnswers, compareAnswers, createAnswerLog } from './compare-answers.ts';
import { onPostgres, onSqlite, type TestDatabase } from './databases.ts';
import { acknowledgedFigure, overLimits, seconds } from './figures.ts';
import { type LoadReport, startLoadOn } from './load.ts';
import type { LongTest, TestOutcome } from './long-test.ts';
import { addAnimal, apiKey, readPages, request } from './requests.ts';
import { makeWallClock, missingForWallClock, type WallClock } from './wall-clock.ts';

const answerMillisecondsMax = 5000;

const hour = 3600;
const day = 24 * hour;
const year = 365 * day;
const keyLifeDays = 30;
const getPetIsRemovedAt = Date.UTC(2030, 11, 5);

/** For each server: the clock at its start, and the times to which it jumps, in seconds ahead of the real time. */
const lives = [
  { startsAt: 0, jumpsTo: [hour, 0, -hour, -day, 10 * year, 0] },
  { startsAt: -day, jumpsTo: [secondsUntil('2100-01-01'), 0] },
  { startsAt: secondsUntil('1971-01-01'), jumpsTo: [0, -hour] },
] as const;

function secondsUntil(date: string): number {
  return Math.round((Date.parse(date) - Date.now()) / 1000);
}

export const clocks: readonly LongTest[] = [
  {
    name: 'clock-sqlite',
    title:
      'clock set forward and back, by an hour to a century, during the run of a server and between two runs',
    isPatient: true,
    missing: missingForWallClock,
    run: () => onSqlite(runLives),
  },
  {
    name: 'clock-postgres',
    title: 'the same clock changes on PostgreSQL, which keeps the correct time',
    isPatient: true,
    missing: missingForWallClock,
    run: () => onPostgres(runLives),
  },
];

async function runLives(database: TestDatabase): Promise<TestOutcome> {
  using folder = makeTemporaryFolder();
  const clock = makeWallClock(folder.path);
  const keys = makeKeys(database, clock);
  const { apiKey: limited } = await keys.create('limited', '--rate-limit', '1/s');
  const { apiKey: expiring } = await keys.create('expiring', '--expires', `${keyLifeDays}d`);
  const log = createAnswerLog();
  const probes: Probes = { limited, expiring, revoked: [], acknowledged: log.acknowledged };
  const answers: ClientAnswers[] = [log];
  const broken = new Set<string>();
  const reports: LoadReport[] = [];
  for (const [life, { startsAt, jumpsTo }] of lives.entries()) {
    clock.set(startsAt);
    await using server = await database.start({ env: clock.env });
    const load = startLoadOn([server], {
      writersPerServer: 4,
      readersPerServer: 2,
      namePrefix: `Life ${life}`,
      hasIdempotencyKeys: true,
    });
    answers.push(load);
    for (const to of jumpsTo) {
      // A clock that goes back could undo the latest revocation.
      if (to < clock.offsetSeconds) {
        const { id, apiKey } = await keys.create('revoked');
        await keys.revoke(id);
        probes.revoked.push(apiKey);
      }
      for (const line of await jump(server, clock, to, probes)) broken.add(line);
    }
    reports.push(await load.stop());
    if ((await server.stop('SIGTERM')) !== 0) broken.add('a server did not end with 0');
  }
  const wrong = compareAnswers(answers, await database.readAnimals());
  for (const line of wrong) broken.add(line);
  const requests = reports.reduce((sum, report) => sum + report.requests, 0);
  const failed = reports.reduce((sum, report) => sum + report.failed, 0);
  const longest = Math.max(...reports.map(({ longestMilliseconds }) => longestMilliseconds));
  if (failed > 0) broken.add(`${failed} requests were not answered 200 or 201`);
  const jumps = lives.reduce((sum, { jumpsTo }) => sum + jumpsTo.length, 0);
  return {
    figures: [
      `${jumps} jumps, ${lives.length} starts`,
      acknowledgedFigure(answers, wrong),
      `${requests - failed} of ${requests} answered 200 or 201, the longest in ${seconds(longest)}`,
      `${probes.revoked.length} keys revoked`,
    ],
    broken: [...broken],
    late: overLimits(['an answer took', longest, answerMillisecondsMax]),
  };
}

/** Creates and revokes keys by the clock of the servers, with the commands for operators. */
function makeKeys({ url }: TestDatabase, clock: WallClock) {
  async function run(...args: string[]): Promise<string> {
    const result = await runProgram(['keys', ...args, '--database', url, '--json'], clock.env);
    if (result.exitCode !== 0) throw new Error(`keys ${args.join(' ')}: ${result.stderr}`);
    return result.stdout;
  }
  return {
    async create(name: string, ...options: string[]) {
      const text = await run('create', '--name', name, ...options);
      return JSON.parse(text) as { id: number; apiKey: string };
    },
    revoke: (id: number) => run('revoke', String(id)),
  };
}

interface Probes {
  /** A key with a rate limit of its own. */
  readonly limited: string;
  /** A key that expires. */
  readonly expiring: string;
  readonly revoked: string[];
  /** Name and id of each animal that was added beside the load. */
  readonly acknowledged: Map<string, number>;
}

/** Sets the clock, and compares the answers after it with those before. Returns a line for each difference. */
async function jump(
  { origin }: ServerProcess,
  clock: WallClock,
  to: number,
  probes: Probes,
): Promise<string[]> {
  const from = clock.offsetSeconds;
  const wrong: string[] = [];
  function expect(subject: string, found: unknown, expected: unknown): void {
    const moved = `after the clock went from ${describe(from)} to ${describe(to)}`;
    if (found !== expected) wrong.push(`${subject} ${found} and not ${expected} ${moved}`);
  }
  const get = (path: string, key = apiKey) =>
    request<{ id: number }[]>(`${origin}${path}`, {
      headers: { authorization: `Bearer ${key}` },
    });

  const before = await addOnce(origin, probes);
  const firstPage = await get('/v1/pets?limit=100');
  while ((await get('/v1/pets?limit=1', probes.limited)).httpStatus === 200);

  clock.set(to);
  if (!(await hasArrived(origin, clock))) return [`the clock of the server stays at ${from}`];
  const spentAt = performance.now();

  // Results are kept for a day by the clock, so a longer jump ends the promise.
  if (to - from < day) {
    const again = await addOnce(origin, probes, before);
    expect('a repeated request gets the id', again.id, before.id);
    expect('it was answered with the stored result:', again.isReplayed, true);
  }
  const after = await addOnce(origin, probes);
  expect('a new id is higher:', after.id > before.id, true);
  expect('ids over all pages fall by 1:', await isWhole(firstPage), true);
  expect('/readyz answers', (await get('/readyz')).httpStatus, 200);

  const isGone = clock.now() >= getPetIsRemovedAt;
  expect('getPet answers', (await get('/v1/pets/1')).httpStatus, isGone ? 410 : 200);
  const isExpired = to >= keyLifeDays * day;
  const expiring = await get('/v1/pets?limit=1', probes.expiring);
  expect('a key that expires gets', expiring.httpStatus, isExpired ? 401 : 200);
  for (const key of probes.revoked) {
    expect('a revoked key gets', (await get('/v1/pets?limit=1', key)).httpStatus, 401);
  }
  // The limit uses a monotonic clock: a second after the last request, one more is allowed.
  await Bun.sleep(Math.max(0, spentAt + 1000 - performance.now()));
  const limited = await get('/v1/pets?limit=1', probes.limited);
  expect('a key at its limit gets, a second later,', limited.httpStatus, 200);
  return wrong;

  /** Reads the next pages of a list from before the jump. It must have each animal of that moment once, in order. */
  async function isWhole(first: typeof firstPage): Promise<boolean> {
    const ids: number[] = [];
    for await (const { body = [] } of readPages(first)) {
      ids.push(...body.map(({ id }) => id));
      if (ids.length >= 1000) break;
    }
    return (
      ids.length > 0 && ids.every((id, index) => index === 0 || id === (ids[index - 1] ?? 0) - 1)
    );
  }
}

function describe(offsetSeconds: number): string {
  return new Date(Date.now() + offsetSeconds * 1000).toISOString().slice(0, 16);
}

/** Adds an animal under an `Idempotency-Key`, or repeats the request for an earlier one. */
async function addOnce(
  origin: string,
  { acknowledged }: Probes,
  { name } = { name: `Probe ${acknowledged.size}` },
) {
  const { httpStatus, headers, body } = await addAnimal(origin, name, {
    'idempotency-key': name.replaceAll(' ', '-'),
  });
  if (httpStatus !== 201) throw new Error(`A request for an animal got ${JSON.stringify(body)}`);
  const id = Number(body?.id);
  acknowledged.set(name, id);
  return { id, name, isReplayed: headers.get('idempotent-replayed') === 'true' };
}

/** Waits until the `Date` of the server follows the clock. */
async function hasArrived(origin: string, clock: WallClock): Promise<boolean> {
  const deadline = performance.now() + 5000;
  while (performance.now() < deadline) {
    const { headers } = await fetch(`${origin}/livez`);
    const date = Date.parse(headers.get('date') ?? '');
    if (Math.abs(date - clock.now()) < 3000) return true;
    await Bun.sleep(10);
  }
  return false;
}
