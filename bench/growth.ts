import { Database } from 'bun:sqlite';
import { mkdtempSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { petStatuses } from '../src/domain/pet.ts';
import { readMemory } from './cpu.ts';
import { measureInTurns, type Rounds } from './measure.ts';
import {
  formatMegabytes,
  formatMilliseconds,
  formatNumber,
  formatRatio,
  type Section,
} from './report.ts';
import { startAnimalStore } from './servers/animal-store.ts';
import { median, medianRatio } from './statistics.ts';
import { animalStoreDialect as dialect } from './subject.ts';
import { fillDatabase } from './test-animals.ts';
import type { RunningServer, Workbench } from './workbench.ts';
import { type Load, runLoad } from './wrk.ts';

const eventsOfAnimal = 'events of one random animal';
const eventsMax = 1_000_000;

/** What is measured at each size. */
const loads: Readonly<Record<string, (animals: number) => Load>> = {
  'newest page': () => ({ kind: 'get', paths: [dialect.list()] }),
  'page at a random depth': (animals) => drawn(animals, (id) => dialect.listBelow(id)),
  'page of a random status at a random depth': (animals) =>
    drawn(animals, (id) => dialect.listBelow(id, petStatuses[id % petStatuses.length])),
  'page of a random category at a random depth': (animals) =>
    drawn(animals, (id) => dialect.listBelow(id, undefined, id % 12)),
  'page of the available animals of a random category at a random depth': (animals) =>
    drawn(animals, (id) => dialect.listBelow(id, 'available', id % 12)),
  'page from a random animal, in both orders': (animals) =>
    drawn(animals, (id) => {
      // A page of the oldest first needs animals above its start.
      const start = id % 2 === 0 ? `from=${id}` : `from=${animals - id}&sort=id`;
      return `${dialect.list()}&${start}`;
    }),
  'number of animals': () => ({ kind: 'get', paths: ['/v1/store/inventory'] }),
  'page of one random animal': (animals) => drawn(animals, (id) => `${dialect.list()}&id=${id}`),
  [eventsOfAnimal]: (animals) =>
    drawn(Math.min(animals, eventsMax), (id) => `/v1/events?limit=20&record=pet:${id}`),
  'adding an animal': () => ({ kind: 'create', paths: [dialect.collection] }),
};

/** More than any cache can store, so that nearly every request is a new one. */
const drawnIdsMax = 300_000;

/** Paths of random ids with a full page below them, also of one category. */
function drawn(animals: number, pathOf: (id: number) => string): Load {
  const lowest = 450;
  const paths = Array.from({ length: Math.min(animals, drawnIdsMax) }, () =>
    pathOf(Math.floor(lowest + Math.random() * (animals - lowest))),
  );
  return { kind: 'paths', paths };
}

const tenMillion = 10_000_000;
const connections = 32;
const busyConnections = 256;
const idleMilliseconds = 2000;
/** The peak depends on the times of garbage collections, and differs by a fifth from server to server. */
const serversUnderLoad = 3;

interface Size {
  readonly animals: number;
  readonly databaseUrl: string;
  readonly fillSeconds: number;
  readonly fileBytes: number;
}

/** Measures the cost of growth: the same requests on databases of very different sizes, in turns. */
export async function measureGrowth(workbench: Workbench): Promise<readonly Section[]> {
  const folder = mkdtempSync(join(workbench.folder, 'growth-'));
  const sizes: Size[] = [];
  for (const animals of workbench.pace.growthAnimals) {
    const path = join(folder, `${animals}.db`);
    const databaseUrl = `sqlite:${path}`;
    const fillSeconds = await fillDatabase(workbench, databaseUrl, animals);
    addEvents(path);
    sizes.push({ animals, databaseUrl, fillSeconds, fileBytes: statSync(path).size });
    workbench.tick();
  }
  // Costs come first, because the loads for the memory add more animals to a small database than it has.
  const costs = await measureCosts(workbench, sizes);
  return [costs, await measureServers(workbench, sizes)];
}

/** An event of each animal, up to a million. `demo` writes none. */
function addEvents(path: string): void {
  using connection = new Database(path);
  connection.run(
    `INSERT INTO events SELECT 1, id, 'pet.created', id, ?, '{"type":"pet.created","data":{"id":' || id || '}}'
     FROM pets WHERE id <= ${eventsMax}`,
    [Date.now()],
  );
  connection.run(
    'UPDATE workspaces SET next_event_sequence = 1 + (SELECT max(sequence) FROM events)',
  );
}

/** Without the response cache, because its answers cost the same for every size of the data. */
const withoutCache = ['--response-cache-megabytes', '0'] as const;

async function measureCosts(workbench: Workbench, sizes: readonly Size[]): Promise<Section> {
  await using servers = new AsyncDisposableStack();
  const running: { server: RunningServer; animals: number }[] = [];
  for (const { animals, databaseUrl } of sizes) {
    const options = { databaseUrl, arguments: withoutCache };
    const server = servers.use(await startAnimalStore(workbench, options));
    running.push({ animals, server: { ...server, name: `${animals}` } });
  }
  const costs = new Map<string, Rounds>();
  for (const [title, loadFor] of Object.entries(loads)) {
    const targets = running.map(({ animals, server }) => ({ server, load: loadFor(animals) }));
    const rounds = await measureInTurns(workbench, targets, connections);
    if ([...rounds.values()].flat().some(({ failedRequests }) => failedRequests > 0)) {
      throw new Error(`${title}: requests failed`);
    }
    costs.set(title, rounds);
  }
  const smallest = sizes[0]?.animals ?? 0;
  const cpuOf = (rounds: Rounds, animals: number) =>
    rounds.get(`${animals}`)?.map(({ cpuMicroseconds }) => cpuMicroseconds) ?? [];
  const growth = (rounds: Rounds, animals: number) =>
    medianRatio(cpuOf(rounds, animals), cpuOf(rounds, smallest));
  const pages = [...costs].filter(([title]) => title.includes('page')).map(([, rounds]) => rounds);
  const hasLargest = sizes.some(({ animals }) => animals === tenMillion);
  return {
    title: 'Cost as the data grows',
    text: `CPU µs a request at ${connections} connections, without the response cache.`,
    headings: ['Request', ...sizes.flatMap(({ animals }) => [formatCount(animals), '×'])],
    rows: [...costs].map(([title, rounds]) => [
      title,
      ...sizes.flatMap(({ animals }) => [
        formatNumber(median(cpuOf(rounds, animals))),
        formatRatio(growth(rounds, animals)),
      ]),
    ]),
    aims: [
      {
        title: 'the most expensive page at 10 million / at 1 thousand, CPU',
        atMost: 1.2,
        value: hasLargest ? Math.max(...pages.map((page) => growth(page, tenMillion))) : undefined,
        format: formatRatio,
      },
      {
        title: `${eventsOfAnimal} among a million, median until the answer`,
        atMost: 5,
        value: median(answersOf(costs.get(eventsOfAnimal), tenMillion)),
        format: formatMilliseconds,
      },
    ],
  };
}

/** The median of each round until the answer, in milliseconds. */
function answersOf(rounds: Rounds | undefined, animals: number): number[] {
  const found = rounds?.get(`${animals}`) ?? [];
  return found.map(({ p50Microseconds }) => p50Microseconds / 1000);
}

async function measureServers(workbench: Workbench, sizes: readonly Size[]): Promise<Section> {
  const servers = [];
  for (const size of sizes) servers.push({ ...size, ...(await measureServer(workbench, size)) });
  const largest = servers.find(({ animals }) => animals === tenMillion);
  return {
    title: 'A server among many animals',
    text:
      'The start of the process ends with the last byte of the first page. Memory is that of a server with default options, the ' +
      `median of ${serversUnderLoad} servers; the load is that of the table above, at ${busyConnections} connections.`,
    headings: ['', ...servers.map(({ animals }) => formatCount(animals))],
    rows: [
      ['added by `demo` in, s', ...servers.map(({ fillSeconds }) => formatNumber(fillSeconds))],
      ['size of the file', ...servers.map(({ fileBytes }) => formatMegabytes(fileBytes))],
      [
        'start to first page, ms',
        ...servers.map(({ startMilliseconds }) => formatNumber(startMilliseconds)),
      ],
      ['memory at rest', ...servers.map(({ restBytes }) => formatMegabytes(restBytes))],
      [
        'memory at its peak under load',
        ...servers.map(({ peakBytes }) => formatMegabytes(peakBytes)),
      ],
    ],
    aims: [
      {
        title: 'start to first page at 10 million',
        atMost: 150,
        value: largest?.startMilliseconds,
        format: formatMilliseconds,
      },
      {
        title: 'memory at rest at 10 million',
        atMost: 50_000_000,
        value: largest?.restBytes,
        format: formatMegabytes,
      },
      {
        title: 'memory at its peak under load at 10 million',
        atMost: 120_000_000,
        value: largest?.peakBytes,
        format: formatMegabytes,
      },
    ],
  };
}

async function measureServer(workbench: Workbench, size: Size) {
  const starts: number[] = [];
  for (let round = 0; round < workbench.pace.rounds; round += 1) {
    const startedAt = performance.now();
    await using server = await startAnimalStore(workbench, size);
    await fetchFirstPage(server);
    starts.push(performance.now() - startedAt);
  }
  const servers = [];
  for (let count = 0; count < serversUnderLoad; count += 1) {
    servers.push(await measureMemory(workbench, size));
  }
  return {
    startMilliseconds: median(starts),
    restBytes: median(servers.map(({ restBytes }) => restBytes)),
    peakBytes: median(servers.map(({ peakBytes }) => peakBytes)),
  };
}

async function measureMemory(workbench: Workbench, { databaseUrl, animals }: Size) {
  await using server = await startAnimalStore(workbench, { databaseUrl });
  await fetchFirstPage(server);
  await Bun.sleep(idleMilliseconds);
  const restBytes = readMemory(server.pid).residentBytes;
  for (const loadFor of Object.values(loads)) {
    const { secondsPerRound } = workbench.pace;
    await runLoad(workbench, server, loadFor(animals), busyConnections, secondsPerRound);
    workbench.tick();
  }
  return { restBytes, peakBytes: readMemory(server.pid).residentPeakBytes };
}

async function fetchFirstPage({ origin, headers }: RunningServer): Promise<void> {
  const response = await fetch(`${origin}${dialect.list()}`, { headers });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`The first page is ${response.status}: ${text}`);
}

/** `1 thousand`, `10 million`. */
function formatCount(count: number): string {
  return count >= 1_000_000 ? `${count / 1_000_000} million` : `${count / 1000} thousand`;
}

/** The number of rounds, for the progress bar. */
export function growthTicks({ growthAnimals, rounds }: Workbench['pace']): number {
  return growthAnimals.length * (1 + (rounds + serversUnderLoad) * Object.keys(loads).length);
}
