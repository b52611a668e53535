import { connect, type Socket } from 'node:net';
import { scopes } from '../../src/domain/access/api-key.ts';
import type { Database } from '../../src/domain/database/database.ts';
import { newApiKey } from '../../src/http/access/new-api-key.ts';
import { openPostgresDatabase } from '../../src/postgres/database.ts';
import { openSqliteDatabase } from '../../src/sqlite/database.ts';
import { done } from '../support/outcome.ts';
import { administer } from '../support/postgres.ts';
import { startPostgresServer } from '../support/postgres-server.ts';
import type { ServerProcess } from '../support/server-process.ts';
import { startServerProcess } from '../support/server-process.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import { seconds } from './compare-answers.ts';
import type { Fault, FaultOptions, FaultOutcome } from './fault.ts';
import { residentBytes } from './process-figures.ts';
import { apiKey, authorization, sqliteDataIn } from './sqlite-rig.ts';

const warmUpRequests = 3000;
const streamsOfKey = 10;
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
const patienceMilliseconds = 5000;
/** Between two collections of garbage; after one, it is a quarter. */
const moreBytesMax = 64 * 2 ** 20;

/** More than the buffers of a connection hold, so that the server cannot write on to one that is not read. */
const history = { events: 8000, name: '\u{1f431}'.repeat(255) };

export const streams: readonly Fault[] = [
  {
    name: 'streams',
    title: `${readers} streams of events that are read and ${stalledReaders} that are not, at ${commitsPerSecond} commits a second, until the server is stopped (SIGTERM)`,
    promise:
      'Every reader gets every event in order, 99 of 100 within 0.1 s of the request that made it; memory grows by no more than 64 MB, and falls again; ' +
      'who reads nothing is closed within 35 s; the server ends within 2 s.',
    run: runStreams,
  },
  {
    name: 'streams-postgres',
    title:
      'streams of one server on PostgreSQL while another writes, and every connection that listens for notifications is broken',
    promise: 'Every reader gets every event in order, 99 of 100 within 1.2 s.',
    run: runAcrossServers,
  },
];

async function runStreams({ long }: FaultOptions): Promise<FaultOutcome> {
  using folder = makeTemporaryFolder();
  const store = sqliteDataIn(folder.path);
  const keys = await prepareKeys(
    await openSqliteDatabase({ path: store.path, asServer: true, now: Date.now }),
    history.events,
  );
  await using server = await store.start({ args: ['--metrics-port', '0'] });
  const metricsUrl = /"metrics":"([^"]+)"/.exec(server.output().stdout)?.[1] ?? '';
  // What a server takes for its first thousands of requests, it does not take for streams.
  for (let count = 0; count < warmUpRequests; count += 1) await post(server, 0);
  const bytesBefore = residentBytes(server.pid);
  const sent: number[] = [];
  const streams = Array.from({ length: readers }, (_, index) =>
    openReader(server, keys[Math.floor(index / streamsOfKey)] ?? '', sent),
  );
  await Promise.all(streams.map(({ opened }) => opened));
  const stalled = Array.from({ length: stalledReaders }, (_, index) =>
    openStalled(server, keys[Math.floor((readers + index) / streamsOfKey)] ?? ''),
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
  await allHave(streams, sent.length);
  const stoppedAt = performance.now();
  const exitCode = await server.stop('SIGTERM');
  const stoppedAfter = performance.now() - stoppedAt;
  for (const socket of stalled) socket.destroy();
  const { wrong, p99 } = await judge(streams, sent.length);
  const [least, most] = [bytes.sort((one, other) => one - other)[0] ?? 0, bytes.at(-1) ?? 0];
  const megabytes = (count: number) => Math.round((count - bytesBefore) / 2 ** 20);
  return {
    figures: [
      `${sent.length} events to ${readers} readers each, ${wrong.length === 0 ? 'none missed' : wrong.join(', ')}`,
      `99 of 100 within ${seconds(p99)}`,
      `${megabytes(least)} to ${megabytes(most)} MB more memory, as garbage is collected`,
      `${stalledReaders} who read nothing closed within ${seconds(closedAfter)}`,
      `ended within ${seconds(stoppedAfter)}`,
    ],
    broken: [...wrong, ...(exitCode === 0 ? [] : [`the server ended with ${exitCode}`])],
    late: [
      p99 > frameMillisecondsMax && `99 of 100 within ${seconds(p99)}`,
      most - bytesBefore > moreBytesMax && `memory grew by ${megabytes(most)} MB`,
      closedAfter > closedMillisecondsMax && 'who read nothing was not closed',
      stoppedAfter > stopMillisecondsMax && `the end took ${seconds(stoppedAfter)}`,
    ].filter((line) => line !== false),
  };
}

async function runAcrossServers(): Promise<FaultOutcome> {
  await using postgres = await startPostgresServer();
  await administer(postgres.url, 'CREATE DATABASE feed');
  const url = `${postgres.url}/feed`;
  const database = await openPostgresDatabase({ url, asServer: true, now: Date.now });
  const keys = await prepareKeys(database, 0);
  const start = () => startServerProcess(url, { env: { ANIMAL_STORE_API_KEY: apiKey } });
  await using writing = await start();
  await using reading = await start();
  const sent: number[] = [];
  const streams = Array.from({ length: readersOfOther }, (_, index) =>
    openReader(reading, keys[Math.floor(index / streamsOfKey)] ?? '', sent),
  );
  await Promise.all(streams.map(({ opened }) => opened));
  let broken = 0;
  await postSteadily(writing, secondsOfOther, sent, async () => {
    const rows = await administer(
      postgres.url,
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%'`,
      'feed',
    );
    broken += rows.length;
  });
  await allHave(streams, sent.length);
  await reading.stop('SIGTERM');
  const { wrong, p99 } = await judge(streams, sent.length);
  return {
    figures: [
      `${sent.length} events to ${readersOfOther} readers each, ${wrong.length === 0 ? 'none missed' : wrong.join(', ')}`,
      `99 of 100 within ${seconds(p99)}`,
      `${broken} connections broken`,
    ],
    broken: [...wrong, ...(broken === 0 ? ['no connection listened'] : [])],
    late: p99 > otherFrameMillisecondsMax ? [`99 of 100 within ${seconds(p99)}`] : [],
  };
}

/** Makes keys for all readers, and a feed with so many long events, before there is a server. */
async function prepareKeys(database: Database, events: number): Promise<string[]> {
  await using open = database;
  const keys: string[] = [];
  for (let count = 0; count < (readers + stalledReaders) / streamsOfKey; count += 1) {
    const { text, digest, lastFour } = newApiKey('production');
    const apiKey = {
      name: 'reader',
      digest,
      lastFour,
      scopes,
      rateLimit: undefined,
      expiresAt: undefined,
    };
    const now = Date.now();
    done(await open.write('createApiKey', { workspaceName: 'default', apiKey, now }));
    keys.push(text);
  }
  const origin = { requestId: 'history', now: Date.now() };
  const pet = { name: history.name, categoryId: 1n };
  await Promise.all(
    Array.from({ length: events }, () => open.write('createPet', { workspaceId: 1n, pet, origin })),
  );
  return keys;
}

/** Adds an animal; the id of the request tells the readers which it was. */
async function post({ origin }: ServerProcess, number: number): Promise<void> {
  const response = await fetch(`${origin}/v1/pets`, {
    method: 'POST',
    headers: {
      ...authorization,
      'content-type': 'application/json',
      'x-request-id': `w-${number}`,
    },
    body: '{"name":"Rex","categoryId":1}',
  });
  if (response.status !== 201) throw new Error(`An animal was answered ${response.status}`);
}

/** Adds animals at the pace of the rig, and looks around twice a second. `sent` keeps when each was asked for. */
async function postSteadily(
  server: ServerProcess,
  duration: number,
  sent: number[],
  look: () => Promise<void>,
): Promise<void> {
  const startedAt = performance.now();
  for (let count = 0; count < duration * commitsPerSecond; count += 1) {
    const at = startedAt + (count * 1000) / commitsPerSecond;
    await Bun.sleep(Math.max(0, at - performance.now()));
    sent.push(performance.now());
    await post(server, sent.length);
    if (count % (commitsPerSecond / 2) === 0) await look();
  }
}

interface Reader {
  readonly opened: Promise<unknown>;
  readonly closed: Promise<unknown>;
  /** Milliseconds from the request to its event, in the order in which they came. */
  readonly delays: number[];
  /** Numbers of the requests, in the same order. */
  readonly numbers: number[];
}

function requestStream(port: number, key: string, after: string): Socket {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  socket.write(
    `GET /v1/events/stream?after=${after} HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer ${key}\r\n\r\n`,
  );
  return socket;
}

function openReader({ origin }: ServerProcess, key: string, sent: readonly number[]): Reader {
  const opened = Promise.withResolvers<void>();
  const closed = Promise.withResolvers<void>();
  const socket = requestStream(Number(new URL(origin).port), key, 'now');
  const reader: Reader = {
    opened: opened.promise,
    closed: closed.promise,
    delays: [],
    numbers: [],
  };
  let text = '';
  socket.setEncoding('latin1').on('data', (part) => {
    const at = performance.now();
    text += part;
    // Its position comes first.
    if (text.includes('\nid: ')) opened.resolve();
    let end = 0;
    for (const match of text.matchAll(/"requestId":"w-(\d+)"/g)) {
      const number = Number(match[1]);
      end = match.index + match[0].length;
      reader.numbers.push(number);
      reader.delays.push(at - (sent[number - 1] ?? 0));
    }
    // What is left may be the beginning of the next.
    text = text.slice(Math.max(end, text.length - 64));
  });
  socket.on('close', () => {
    opened.resolve();
    closed.resolve();
  });
  return reader;
}

function openStalled({ origin }: ServerProcess, key: string): Socket {
  const socket = requestStream(Number(new URL(origin).port), key, '0');
  return socket.pause();
}

/** Waits until every reader has so many events, but not for ever. */
async function allHave(streams: readonly Reader[], count: number): Promise<void> {
  const until = performance.now() + patienceMilliseconds;
  while (streams.some(({ numbers }) => numbers.length < count) && performance.now() < until) {
    await Bun.sleep(20);
  }
}

/** What went wrong, and within what time 99 of 100 events came, once all streams have ended. */
async function judge(streams: readonly Reader[], count: number) {
  await Promise.all(streams.map(({ closed }) => closed));
  const wrong = new Set<string>();
  for (const { numbers } of streams) {
    const gap = numbers.findIndex((number, index) => number !== index + 1);
    if (gap >= 0) wrong.add(`event ${numbers[gap]} came in the place of ${gap + 1}`);
    else if (numbers.length !== count) wrong.add(`${count - numbers.length} events did not come`);
  }
  const delays = streams.flatMap(({ delays }) => delays).sort((one, other) => one - other);
  return { wrong: [...wrong], p99: delays[Math.floor(delays.length * 0.99)] ?? 0 };
}

async function readOpenCount(metricsUrl: string): Promise<number> {
  const text = await (await fetch(metricsUrl)).text();
  return Number(/^animal_store_streams_open (\d+)$/m.exec(text)?.[1]);
}
