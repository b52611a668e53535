import type { RoundMember } from './measure.ts';
import type { Dialect } from './subject.ts';
import type { SubjectName } from './subjects.ts';
import type { Load } from './wrk.ts';

/** One kind of load that all servers get, and its aims. */
export interface Row {
  readonly title: string;
  readonly about: string;
  readonly connections: number;
  readonly httpStatus: number;
  readonly load: (dialect: Dialect, added: number) => Load;
  /** Whether animals are added before, for orders and events. `load` gets their number, or 0. */
  readonly addsFirst?: true;
  /** A row of ours that is measured in the same turns, for a ratio. Its load also adds the animals for orders. */
  readonly beside?: 'list' | 'add-32';
  /** The servers beside ours. */
  readonly subjects: readonly SubjectName[];
  /** What is compared. */
  readonly figure: RoundMember;
  readonly aims: readonly Aim[];
  /** Of ours, p99 as a multiple of p50. */
  readonly tailAtMost?: number;
  /** Of ours, CPU µs a request. */
  readonly cpuMicrosecondsMax?: number;
}

interface Aim {
  readonly against: SubjectName;
  /** The limits of our figure as a multiple of theirs. */
  readonly atMost?: number;
  readonly atLeast?: number;
}

/** The animals of each database. Their ids count from 1. */
export const animalsInRows = 10_000;

/** So many that a server with a cache must store many answers. */
export const drawnIds = Array.from(
  { length: 1000 },
  (_, index) => 100 + index * (animalsInRows / 1011),
);

const postgres = 'animal-store on PostgreSQL';
const files = ['nginx', 'nginx, files kept open'] as const;
const peers = [
  'Fastify + better-sqlite3',
  'axum + rusqlite',
  'FastAPI + SQLModel',
  'PocketBase',
  'json-server',
  'Prism',
] as const;

const aboutPositions =
  'as a client sends it that follows the feed. Each request has a random position, because a page is cached until the next commit.';

/** Full pages of the feed. Each added animal has an event. */
function eventPages(added: number, limit: number): Load {
  const toPath = (_: unknown, after: number) => `/v1/events?after=${after}&limit=${limit}`;
  return { kind: 'paths', paths: Array.from({ length: Math.max(1, added - limit) }, toPath) };
}

export const rows = {
  list: {
    title: 'List of 20',
    about: 'The newest page, `GET /v1/pets?limit=20`.',
    connections: 32,
    subjects: [postgres, ...files, ...peers],
    httpStatus: 200,
    load: ({ list }) => ({ kind: 'get', paths: [list()] }),
    figure: 'cpuMicroseconds',
    aims: [
      { against: 'nginx', atMost: 0.85 },
      { against: 'nginx, files kept open', atMost: 1.1 },
      { against: 'axum + rusqlite', atMost: 1 },
      { against: 'PocketBase', atMost: 1 },
      { against: 'FastAPI + SQLModel', atMost: 1 },
    ],
  },
  page: {
    title: 'A page at a random depth',
    about: 'A page of 20 at one of 1000 random depths, `GET /v1/pets?limit=20&cursor=…`.',
    connections: 32,
    subjects: [postgres, ...files, ...peers],
    httpStatus: 200,
    load: ({ listBelow }) => ({
      kind: 'paths',
      paths: drawnIds.map((id) => listBelow(Math.floor(id))),
    }),
    figure: 'cpuMicroseconds',
    aims: [
      { against: 'Fastify + better-sqlite3', atMost: 0.95 },
      { against: 'axum + rusqlite', atMost: 1.6 },
    ],
  },
  animal: {
    title: 'A single animal',
    about: 'One of 1000 random animals, `GET /v1/pets/{petId}`.',
    connections: 32,
    subjects: [postgres, ...files, ...peers],
    httpStatus: 200,
    load: ({ single }) => ({ kind: 'paths', paths: drawnIds.map((id) => single(Math.floor(id))) }),
    figure: 'cpuMicroseconds',
    aims: [
      { against: 'Fastify + better-sqlite3', atMost: 1 },
      { against: 'axum + rusqlite', atMost: 1.6 },
    ],
  },
  unchanged: {
    title: 'An unchanged page',
    about: 'The newest page with its `ETag` in `If-None-Match`, answered with 304.',
    connections: 32,
    subjects: files,
    httpStatus: 304,
    load: ({ list }) => ({ kind: 'get', paths: [list()] }),
    figure: 'cpuMicroseconds',
    aims: [{ against: 'nginx', atMost: 1.15 }],
  },
  'add-1': {
    title: 'Add an animal, 1 connection',
    about: '`POST /v1/pets`, one after the other.',
    connections: 1,
    subjects: [postgres, 'stubbed storage', ...peers],
    httpStatus: 201,
    load: ({ collection }) => ({ kind: 'create', paths: [collection] }),
    figure: 'p50Microseconds',
    aims: [{ against: 'Fastify + better-sqlite3', atMost: 1.3 }],
  },
  'add-32': {
    title: 'Add an animal, 32 connections',
    about: '`POST /v1/pets`, 32 at the same time.',
    connections: 32,
    subjects: [postgres, 'stubbed storage', ...peers],
    httpStatus: 201,
    load: ({ collection }) => ({ kind: 'create', paths: [collection] }),
    figure: 'cpuMicroseconds',
    aims: [{ against: 'axum + rusqlite', atMost: 0.42 }],
  },
  'add-256': {
    title: 'Add an animal, 256 connections',
    about: '`POST /v1/pets`, 256 at the same time.',
    connections: 256,
    subjects: [postgres, 'stubbed storage', ...peers],
    httpStatus: 201,
    load: ({ collection }) => ({ kind: 'create', paths: [collection] }),
    figure: 'requestsPerSecond',
    aims: [{ against: 'stubbed storage', atLeast: 0.65 }],
    tailAtMost: 2.5,
    cpuMicrosecondsMax: 43,
  },
  mixed: {
    title: 'Mixed, 95 % list and 5 % add',
    about:
      'The newest page, and in one of 20 requests, at random, a new animal. Each connection pauses 7 ms between requests on ' +
      'average, so that all servers get about the same load.',
    connections: 64,
    subjects: peers,
    httpStatus: 200,
    load: ({ list, collection }) => ({
      kind: 'mixed',
      paths: [list()],
      createPath: collection,
      pauseMilliseconds: 7,
    }),
    figure: 'p99Microseconds',
    aims: [{ against: 'Fastify + better-sqlite3', atMost: 1 }],
  },
  order: {
    title: 'Order an animal',
    about:
      '`POST /v1/store/orders`, each for another available animal. An order also changes its animal.',
    connections: 32,
    subjects: [postgres],
    addsFirst: true,
    beside: 'add-32',
    httpStatus: 201,
    load: () => ({
      kind: 'order',
      paths: ['/v1/store/orders'],
      petIds: { next: animalsInRows + 1 },
    }),
    figure: 'cpuMicroseconds',
    aims: [],
  },
  events: {
    title: 'A page of 20 events',
    about: `\`GET /v1/events?after=…&limit=20\`, ${aboutPositions}`,
    connections: 32,
    subjects: [postgres],
    addsFirst: true,
    beside: 'list',
    httpStatus: 200,
    load: (_dialect, added) => eventPages(added, 20),
    figure: 'cpuMicroseconds',
    aims: [],
  },
  'events-100': {
    title: 'A page of 100 events',
    about: `\`GET /v1/events?after=…&limit=100\`, ${aboutPositions}`,
    connections: 32,
    subjects: [postgres],
    addsFirst: true,
    httpStatus: 200,
    load: (_dialect, added) => eventPages(added, 100),
    figure: 'cpuMicroseconds',
    aims: [],
  },
} as const satisfies Record<string, Row>;

export type RowName = keyof typeof rows;
export const rowNames = Object.keys(rows) as RowName[];
