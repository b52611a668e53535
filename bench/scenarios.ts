import type { Dialect } from './dialects.ts';
import type { SubjectName } from './subjects.ts';
import type { Load } from './wrk.ts';

export interface Scenario {
  readonly title: string;
  /** What is sent, in a sentence. */
  readonly about: string;
  readonly subjects: readonly SubjectName[];
  readonly httpStatus: number;
  load(dialect: Dialect, facts: ScenarioFacts): Load;
}

export interface ScenarioFacts {
  /** How many animals there are; their ids count from 1. */
  readonly animals: number;
  /** Writes lines to a file of their own and returns its path. */
  writeLines(lines: readonly string[]): string;
}

/** The animal that is added again and again. */
export const newPetBody = '{"name":"Fluffy","categoryId":7,"status":"available"}';

/** Enough that a server which keeps answers has to keep many. */
const randomPathCount = 1000;

const peers = ['Fastify + better-sqlite3', 'json-server', 'Prism'] as const;
const readers = ['animal-store', 'nginx', 'nginx, files kept open', ...peers] as const;

export const scenarios = {
  list: {
    title: 'List of 20',
    about: 'The newest page, `GET /v1/pets?limit=20`.',
    subjects: readers,
    httpStatus: 200,
    load: ({ list }) => ({ kind: 'get', path: list() }),
  },
  'list-by-status': {
    title: 'List of 20 by status',
    about: 'The newest page of one status, `GET /v1/pets?limit=20&status=pending`.',
    subjects: readers,
    httpStatus: 200,
    load: ({ list }) => ({ kind: 'get', path: list('pending') }),
  },
  'deep-cursor': {
    title: 'Deep cursor',
    about: `A page of 20 at one of ${randomPathCount} random depths, \`GET /v1/pets?limit=20&cursor=…\`.`,
    subjects: readers,
    httpStatus: 200,
    load: ({ listBelow }, facts) => randomPaths(facts, (id) => listBelow(Math.max(id, minDepthId))),
  },
  single: {
    title: 'Single animal',
    about: `One of ${randomPathCount} random animals, \`GET /v1/pets/{petId}\`.`,
    subjects: readers,
    httpStatus: 200,
    load: ({ collection }, facts) => randomPaths(facts, (id) => `${collection}/${id}`),
  },
  'not-modified': {
    title: 'Unchanged page',
    about: 'The newest page with its `ETag` in `If-None-Match`, which is answered with 304.',
    subjects: ['animal-store', 'nginx', 'nginx, files kept open', 'json-server'],
    httpStatus: 304,
    load: ({ list }) => ({ kind: 'get', path: list() }),
  },
  create: {
    title: 'Add an animal',
    about: `\`POST /v1/pets\` with \`${newPetBody}\`.`,
    subjects: ['animal-store', 'stubbed storage', 'each commit alone', ...peers],
    httpStatus: 201,
    load: ({ collection }) => ({ kind: 'create', path: collection, body: newPetBody }),
  },
  mixed: {
    title: 'Mixed, 95 % list and 5 % add',
    about: 'The newest page, and in one of 20 requests, at random, a new animal.',
    subjects: ['animal-store', ...peers],
    httpStatus: 200,
    load: ({ list, collection }) => ({
      kind: 'mixed',
      path: list(),
      createPath: collection,
      body: newPetBody,
    }),
  },
} as const satisfies Record<string, Scenario>;

export type ScenarioName = keyof typeof scenarios;

/** Below it, a page would hold fewer than 20 animals. */
const minDepthId = 21;

function randomPaths({ animals, writeLines }: ScenarioFacts, pathOf: (id: number) => string): Load {
  // Spread evenly over all animals: which of them comes next is drawn by the load.
  const step = animals / randomPathCount;
  const paths = Array.from({ length: randomPathCount }, (_, index) =>
    pathOf(1 + Math.floor(index * step)),
  );
  return { kind: 'paths', paths, file: writeLines(paths) };
}
