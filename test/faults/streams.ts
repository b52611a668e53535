import { background } from '../../src/context/context.ts';
import { openPostgresDatabase } from '../../src/postgres/open-postgres.ts';
import { openSqliteDatabase } from '../../src/sqlite/database.ts';
import type { Database } from '../../src/storage/contract/database.ts';
import {
  createReaderKeys,
  type EventReader,
  numberedRequest,
  openReaders,
  requestStream,
  streamsOfKey,
  waitForEvents,
} from '../support/event-readers.ts';
import type { ServerProcess } from '../support/server-process.ts';
import { onPostgres, onSqlite, type PostgresDatabase, type SqliteDatabase } from './databases.ts';
import { linesOf, overLimits, seconds } from './figures.ts';
import type { LongTest, TestOptions, TestOutcome } from './long-test.ts';
import { residentBytes } from './process-figures.ts';
import { addAnimal } from './requests.ts';

const warmUpRequests = 3000;
const readers = 900;
const stalledReaders = 100;
const commitsPerSecond = 10;
const secondsEveryDay = 38;
const secondsOnDemand = 120;
const readersOfOther = 100;
const secondsOfOther = 8;

const frameMillisecondsMax = 100;
const otherFrameMillisecondsMax = 1200;
const closedMillisecondsMax = 35_000;
const stopMillisecondsMax = 2000;
const eventMillisecondsMax = 5000;
/** Between two garbage collections. After one, a quarter is left. */
const moreBytesMax = 64 * 2 ** 20;

/** More than the buffers of a connection hold, so that the server must wait for a client that does not read. */
const history = { events: 8000, name: '\u{1f431}'.repeat(255) };

export const streams: readonly LongTest[] = [
  {
    name: 'event-streams-sqlite',
    title: `${readers} event streams that are read and ${stalledReaders} that are not, at ${commitsPerSecond} commits a second, until the server is stopped (SIGTERM)`,
    run: (options) => onSqlite((database) => runStreams(options, database)),
  },
  {
    name: 'event-streams-postgres',
    title:
      'streams of one server on PostgreSQL while another server writes, and every connection that listens for notifications is broken',
    run: () => onPostgres(runAcrossServers),
  },
];

async function runStreams({ long }: TestOptions, database: SqliteDatabase): Promise<TestOutcome> {
  const { path } = database;
  const opened = await openSqliteDatabase({ path, asServer: true, now: Date.now });
  const keys = await prepareKeys(opened, history.events);
  await using server = await database.start({ args: ['--metrics-port', '0'] });
  const metricsUrl = /"metrics":"([^"]+)"/.exec(server.output().stdout)?.[1] ?? '';
  // The memory that a server takes for its first requests is no cost of streams.
  for (let count = 0; count < warmUpRequests; count += 1) await post(server, 0);
  const bytesBefore = residentBytes(server.pid);
  const sent: number[] = [];
  const streams = await openReaders(server.origin, keys, readers);
  const stalled = Array.from({ length: stalledReaders }, (_, index) =>
    requestStream(
      server.origin,
      keys[Math.floor((readers + index) / streamsOfKey)] ?? '',
      '0',
    ).pause(),
  );
  const stalledAt = performance.now();
  let closedAfter = Number.POSITIVE_INFINITY;
  const bytes: number[] = [];
  await postSteadily(server, long ? secondsOnDemand : secondsEveryDay, sent, async () => {
    bytes.push(residentBytes(server.pid));
    if (closedAfter !== Number.POSITIVE_INFINITY) return;
    const open = await readOpenCount(metricsUrl);
    if (open === readers) closedAfter = performance.now() - stalledAt;
  });
  await waitForEvents(streams, sent.length, eventMillisecondsMax);
  const stoppedAt = performance.now();
  const exitCode = await server.stop('SIGTERM');
  const stoppedAfter = performance.now() - stoppedAt;
  for (const socket of stalled) socket.destroy();
  const { wrong, p99, figures } = await checkReaders(streams, sent);
  const [least, most] = [Math.min(...bytes) - bytesBefore, Math.max(...bytes) - bytesBefore];
  const megabytes = (count: number) => Math.round(count / 2 ** 20);
  return {
    figures: [
      ...figures,
      `${megabytes(least)} to ${megabytes(most)} MB more memory, as garbage is collected`,
      `${stalledReaders} streams that were not read closed within ${seconds(closedAfter)}`,
      `ended within ${seconds(stoppedAfter)}`,
    ],
    broken: [...wrong, ...linesOf(exitCode !== 0 && `the server ended with ${exitCode}`)],
    late: [
      ...overLimits(
        ['99 of 100 within', p99, frameMillisecondsMax],
        ['the end took', stoppedAfter, stopMillisecondsMax],
      ),
      ...linesOf(
        most > moreBytesMax && `memory grew by ${megabytes(most)} MB`,
        closedAfter > closedMillisecondsMax && 'a stream that was not read stayed open',
      ),
    ],
  };
}

async function runAcrossServers(database: PostgresDatabase): Promise<TestOutcome> {
  const { url } = database;
  const opened = await openPostgresDatabase({ url, asServer: true, now: Date.now });
  const keys = await prepareKeys(opened, 0);
  await using writing = await database.start();
  await using reading = await database.start();
  const sent: number[] = [];
  const streams = await openReaders(reading.origin, keys, readersOfOther);
  let breaks = 0;
  await postSteadily(writing, secondsOfOther, sent, async () => {
    const rows = await database.sql(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%'`,
    );
    breaks += rows.length;
  });
  await waitForEvents(streams, sent.length, eventMillisecondsMax);
  await reading.stop('SIGTERM');
  const { wrong, p99, figures } = await checkReaders(streams, sent);
  return {
    figures: [...figures, `${breaks} connections broken`],
    broken: [...wrong, ...linesOf(breaks === 0 && 'no connection listened')],
    late: overLimits(['99 of 100 within', p99, otherFrameMillisecondsMax]),
  };
}

/** Creates keys for all readers, and a feed with many long events, before the server starts. */
async function prepareKeys(database: Database, events: number): Promise<string[]> {
  await using open = database;
  const keys = await createReaderKeys(open, readers + stalledReaders);
  const origin = { requestId: 'history', actor: 'owner', now: Date.now() } as const;
  const pet = { name: history.name, categoryId: 1n };
  await Promise.all(
    Array.from({ length: events }, () =>
      open.write(background, 'createPet', { workspaceId: 1n, pet, origin }),
    ),
  );
  return keys;
}

/** Adds an animal. The readers recognise its event by the number. */
async function post({ origin }: ServerProcess, number: number): Promise<void> {
  const { httpStatus } = await addAnimal(origin, 'Rex', numberedRequest(number));
  if (httpStatus !== 201) throw new Error(`A request for an animal got ${httpStatus}`);
}

/** Adds animals at a fixed rate, and calls `sample` twice a second. `sent` gets the time of each request. */
async function postSteadily(
  server: ServerProcess,
  duration: number,
  sent: number[],
  sample: () => Promise<void>,
): Promise<void> {
  const startedAt = performance.now();
  for (let count = 0; count < duration * commitsPerSecond; count += 1) {
    const at = startedAt + (count * 1000) / commitsPerSecond;
    await Bun.sleep(Math.max(0, at - performance.now()));
    sent.push(performance.now());
    await post(server, sent.length);
    if (count % (commitsPerSecond / 2) === 0) await sample();
  }
}

/** Waits for the end of all streams, and checks the events of each reader. */
async function checkReaders(streams: readonly EventReader[], sent: readonly number[]) {
  const count = sent.length;
  await Promise.all(streams.map(({ closed }) => closed));
  const wrong = new Set<string>();
  for (const { numbers } of streams) {
    const gap = numbers.findIndex((number, index) => number !== index + 1);
    if (gap >= 0) wrong.add(`event ${numbers[gap]} came instead of ${gap + 1}`);
    else if (numbers.length !== count) wrong.add(`${count - numbers.length} events did not come`);
  }
  const delays = streams
    .flatMap(({ numbers, arrivals }) =>
      numbers.map((number, index) => (arrivals[index] ?? 0) - (sent[number - 1] ?? 0)),
    )
    .sort((one, other) => one - other);
  const p99 = delays[Math.floor(delays.length * 0.99)] ?? 0;
  const events = `${count} events to ${streams.length} readers each`;
  return {
    wrong: [...wrong],
    p99,
    figures: [
      `${events}, ${[...wrong].join(', ') || 'none missed'}`,
      `99 of 100 within ${seconds(p99)}`,
    ],
  };
}

async function readOpenCount(metricsUrl: string): Promise<number> {
  const text = await (await fetch(metricsUrl)).text();
  return Number(/^animal_store_streams_open (\d+)$/m.exec(text)?.[1]);
}
