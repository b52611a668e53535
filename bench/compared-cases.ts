import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { animalStoreDialect as dialect } from './dialects.ts';
import type { Round } from './result.ts';
import { newPetBody } from './scenarios.ts';
import type { Load } from './wrk.ts';

/** What is measured, and the figure that is compared: the smaller the better. */
export interface ComparedCase {
  readonly title: string;
  readonly connections: number;
  readonly figure: string;
  readonly read: (round: Round) => number;
  readonly load: (origin: Origin) => Promise<Load> | Load;
}

/** A server that answers, and where files for its load may be made. */
export interface Origin {
  readonly folder: string;
  readonly fetch: (path: string) => Promise<Response>;
}

/** In each database. */
export const comparedAnimals = 10_000;

const cpu = {
  figure: 'CPU µs a request',
  read: (round: Round) =>
    round.cpuMicrosecondsPerRequest + (round.databaseCpuMicrosecondsPerRequest ?? 0),
};

export const comparedCases = {
  list: {
    title: 'newest page, cached',
    connections: 32,
    ...cpu,
    load: () => ({ kind: 'get', path: dialect.list() }),
  },
  page: {
    title: 'page at a random depth',
    connections: 32,
    ...cpu,
    load: pagesAtAllDepths,
  },
  animal: {
    title: 'single animal',
    connections: 32,
    ...cpu,
    load: ({ folder }) =>
      pathsOf(
        folder,
        Array.from({ length: 1000 }, (_, index) => `${dialect.collection}/${1 + index * 10}`),
      ),
  },
  'add-1': {
    title: 'add, 1 connection',
    connections: 1,
    figure: 'µs until the answer, median',
    read: ({ latencyP50Microseconds }) => latencyP50Microseconds,
    load: addAnimal,
  },
  'add-256': {
    title: 'add, 256 connections',
    connections: 256,
    figure: 'µs for each of those at once',
    read: ({ requestsPerSecond }) => 1_000_000 / requestsPerSecond,
    load: addAnimal,
  },
} as const satisfies Record<string, ComparedCase>;

export type CaseName = keyof typeof comparedCases;
export const caseNames = Object.keys(comparedCases) as CaseName[];

function addAnimal(): Load {
  return { kind: 'create', path: dialect.collection, body: newPetBody };
}

/** A cursor is the program's own, and may have another form in each version: so the links are followed. */
async function pagesAtAllDepths({ folder, fetch }: Origin): Promise<Load> {
  const paths: string[] = [];
  for (let next: string | undefined = dialect.list(); next !== undefined; ) {
    const link: string = (await fetch(next)).headers.get('link') ?? '';
    const url: string | undefined = /<([^>]+)>; rel="next"/.exec(link)?.[1];
    next = url?.replace(/^https?:\/\/[^/]+/, '');
    if (next !== undefined) paths.push(next);
  }
  return pathsOf(folder, paths);
}

function pathsOf(folder: string, paths: readonly string[]): Load {
  const file = join(mkdtempSync(join(folder, 'paths-')), 'paths');
  writeFileSync(file, paths.map((path) => `${path}\n`).join(''));
  return { kind: 'paths', paths, file };
}
