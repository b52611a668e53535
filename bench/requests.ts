import { readMemory } from './cpu.ts';
import {
  measureInTurns,
  type Round,
  type RoundMember,
  type Rounds,
  type Target,
} from './measure.ts';
import {
  type AimedFigure,
  formatMegabytes,
  formatNumber,
  formatRatio,
  type Section,
} from './report.ts';
import { type Row, type RowName, rows } from './rows.ts';
import { median, medianRatio } from './statistics.ts';
import { animalStoreDialect, type Subject } from './subject.ts';
import { type SubjectName, subjects } from './subjects.ts';
import type { TestAnimals } from './test-animals.ts';
import type { RunningServer, Workbench } from './workbench.ts';
import { type Load, newPetBody, runLoad } from './wrk.ts';

const ours = 'animal-store';

/** Measures rows on every server that can run here. All servers run during all rows. */
export async function measureRows(
  workbench: Workbench,
  animals: TestAnimals,
  names: readonly RowName[],
): Promise<readonly Section[]> {
  await using stack = new AsyncDisposableStack();
  const wanted = new Set<SubjectName>([ours, ...names.flatMap((name) => [...rows[name].subjects])]);
  const running = new Map<SubjectName, RunningServer>();
  for (const name of wanted) {
    try {
      running.set(name, stack.use(await subjects[name].start(workbench, animals)));
    } catch (error) {
      if (name === ours) throw error;
      const reason = error instanceof Error ? error.message : String(error);
      workbench.note(`${name} is left out: ${reason}`);
    }
  }
  const sections: Section[] = [];
  for (const name of names) sections.push(await measureRow(workbench, rows[name], running));
  return [peersSection(running), ...sections];
}

async function measureRow(
  workbench: Workbench,
  row: Row,
  running: ReadonlyMap<SubjectName, RunningServer>,
): Promise<Section> {
  const targets: Target[] = [];
  for (const name of [ours, ...row.subjects] as const) {
    const server = running.get(name);
    if (server === undefined) continue;
    try {
      const load = await prepareLoad(workbench, row, subjects[name], server);
      if (row.beside !== undefined) targets.push(besideTarget(rows[row.beside], server));
      targets.push({ server, load });
    } catch (error) {
      workbench.note(`${row.title}: ${name} is left out: ${(error as Error).message}`);
    }
  }
  const rounds = await measureInTurns(workbench, targets, row.connections);
  return rowSection(row, rounds);
}

/** The load of a row for one server. Throws if the server does not answer it correctly. */
async function prepareLoad(
  workbench: Workbench,
  row: Row,
  { dialect }: Subject,
  server: RunningServer,
): Promise<Load> {
  if (row.addsFirst) {
    // On a busy machine, a load between orders may add fewer animals than are ordered.
    const adding = rows['add-256'];
    const { secondsPerRound } = workbench.pace;
    const load = adding.load(dialect);
    const added = await runLoad(workbench, server, load, adding.connections, secondsPerRound);
    return row.load(dialect, added.requests);
  }
  const load = row.load(dialect, 0);
  if (row.httpStatus !== 304) return await expectStatus(server, load, row.httpStatus);
  const etag = (await send(server, load)).headers.get('etag') ?? 'none';
  return await expectStatus(server, { ...load, headers: { 'if-none-match': etag } }, 304);
}

/** The load of another row. Its name keeps its figures apart. */
function besideTarget({ title, load }: Row, server: RunningServer): Target {
  const named = { ...server, name: `${server.name}: ${title.toLowerCase()}` };
  return { server: named, load: load(animalStoreDialect, 0) };
}

async function expectStatus(server: RunningServer, load: Load, httpStatus: number): Promise<Load> {
  const response = await send(server, load);
  const text = await response.text();
  // PocketBase answers 200 to a record that it has added.
  if (response.status === httpStatus || (load.kind === 'create' && response.ok)) return load;
  throw new Error(
    `it answered ${response.status} in place of ${httpStatus}: ${text.slice(0, 200)}`,
  );
}

function send({ origin, headers }: RunningServer, load: Load): Promise<Response> {
  const url = `${origin}${load.paths[0]}`;
  if (load.kind !== 'create') return fetch(url, { headers: { ...headers, ...load.headers } });
  const json = { 'content-type': 'application/json' };
  return fetch(url, { method: 'POST', headers: { ...headers, ...json }, body: newPetBody });
}

function rowSection(row: Row, rounds: Rounds): Section {
  const { title, about, connections, figure } = row;
  const ratioTo = (name: string) => ratioBetween(rounds, name, figure);
  const middle = (name: string, member: keyof Round) => median(valuesOf(rounds, name, member));
  return {
    title,
    text: `${about} ${connections === 1 ? '1 connection' : `${connections} connections`}.`,
    headings: [
      'Server',
      'CPU µs',
      'Requests/s',
      'p50 ms',
      'p99 ms',
      `Ours, ${figures[figure]}`,
      'Failed',
      'Load busy',
    ],
    rows: [...rounds.keys()].map((name) => [
      name,
      formatNumber(middle(name, 'cpuMicroseconds')),
      formatNumber(middle(name, 'requestsPerSecond')),
      formatNumber(middle(name, 'p50Microseconds') / 1000),
      formatNumber(middle(name, 'p99Microseconds') / 1000),
      name === ours ? '' : `× ${formatRatio(ratioTo(name))}`,
      `${Math.max(...valuesOf(rounds, name, 'failedRequests'))}`,
      `${formatNumber(100 * middle(name, 'loadBusyShare'))} %`,
    ]),
    aims: [
      ...row.aims.map(({ against, ...aim }) => ({
        title: `${title}: ${figures[figure]} / ${against}`,
        ...aim,
        value: rounds.has(against) ? ratioTo(against) : undefined,
        format: formatRatio,
      })),
      ...aimsOfOurs(row, rounds),
    ],
  };
}

/** The median of ours as a multiple of another server. A server that refuses is quick, so failed requests give no ratio. */
function ratioBetween(rounds: Rounds, name: string, figure: RoundMember): number {
  return hasFailed(rounds, ours) || hasFailed(rounds, name)
    ? Number.NaN
    : medianRatio(valuesOf(rounds, ours, figure), valuesOf(rounds, name, figure));
}

/** The aims for our server alone. */
function aimsOfOurs({ title, tailAtMost, cpuMicrosecondsMax }: Row, rounds: Rounds) {
  const middle = (member: keyof Round) =>
    hasFailed(rounds, ours) ? Number.NaN : median(valuesOf(rounds, ours, member));
  const aims: AimedFigure[] = [];
  if (tailAtMost !== undefined) {
    const value = middle('p99Microseconds') / middle('p50Microseconds');
    aims.push({ title: `${title}: p99 / p50`, atMost: tailAtMost, value, format: formatRatio });
  }
  if (cpuMicrosecondsMax !== undefined) {
    const value = middle('cpuMicroseconds');
    const format = (microseconds: number) => `${formatNumber(microseconds)} µs`;
    aims.push({ title: `${title}: CPU a request`, atMost: cpuMicrosecondsMax, value, format });
  }
  return aims;
}

function hasFailed(rounds: Rounds, name: string): boolean {
  return Math.max(...valuesOf(rounds, name, 'failedRequests')) > 0;
}

function valuesOf(rounds: Rounds, name: string, member: keyof Round): readonly number[] {
  return rounds.get(name)?.map((round) => round[member]) ?? [];
}

function peersSection(running: ReadonlyMap<SubjectName, RunningServer>): Section {
  return {
    title: 'Servers',
    text:
      'Each server starts with the same animals, except Prism and the stubbed storage, which have none. Memory is the peak of the ' +
      'server and its child processes, without PostgreSQL.',
    headings: ['Server', 'Memory', 'It lacks'],
    rows: [...running].map(([name, { pid }]) => [
      name,
      formatMegabytes(readMemory(pid).residentPeakBytes),
      subjects[name].lacks,
    ]),
    aims: [],
  };
}

const figures = {
  cpuMicroseconds: 'CPU',
  requestsPerSecond: 'requests/s',
  p50Microseconds: 'p50',
  p99Microseconds: 'p99',
} as const;
