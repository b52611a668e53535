import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Command, InvalidArgumentError, Option } from 'commander';
import { CliFailure } from '../src/terminal/cli-failure.ts';
import { runProgram } from '../src/terminal/command-line.ts';
import { print, printTable } from '../src/terminal/print.ts';
import { startProgress } from '../src/terminal/progress.ts';
import { startPgbouncer } from '../test/support/pgbouncer.ts';
import { measureRound, type Round, type Target } from './measure.ts';
import { animalsInRows, type RowName, rows } from './rows.ts';
import { startAnimalStore } from './servers/animal-store.ts';
import { type Postgres, startPostgres } from './servers/postgres.ts';
import { median, medianBounds } from './statistics.ts';
import { animalStoreDialect } from './subject.ts';
import { fillDatabase } from './test-animals.ts';
import { prepareVersion, type Version } from './versions.ts';
import { choosePinning, makeRunFolder, type Workbench } from './workbench.ts';

/** What is compared. Lower is better. */
const cases = {
  list: { figure: 'CPU µs a request', read: (round: Round) => round.cpuMicroseconds },
  page: { figure: 'CPU µs a request', read: (round: Round) => round.cpuMicroseconds },
  animal: { figure: 'CPU µs a request', read: (round: Round) => round.cpuMicroseconds },
  'add-1': { figure: 'µs until the answer, median', read: (round: Round) => round.p50Microseconds },
  'add-256': {
    figure: 'µs a request, 256 at once',
    read: (round: Round) => 1_000_000 / round.requestsPerSecond,
  },
} as const satisfies Partial<Record<RowName, unknown>>;

const warmUpSeconds = 1;

type CaseName = keyof typeof cases;
const caseNames = Object.keys(cases) as CaseName[];

/**
 * Compares two versions of the program. They are measured in turns, and the ratios within each turn are compared. So a
 * shared machine that becomes faster or slower changes both sides of a ratio alike.
 */
function createCompareProgram(): Command {
  const program = new Command('bench:compare')
    .description(
      'Measure two versions of the program in turns, on 127.0.0.1 only, and print the median of the ratios ' +
        'with its 95 % bounds. Below 1, the new version costs less.',
    )
    .argument('<old>', 'a revision of git, or a folder with the program and its node_modules')
    .argument('[new]', 'the same (default: this folder)')
    .option(
      '--turns <number>',
      'how many times each version is measured, from 6 to 1000',
      toTurns,
      30,
    )
    .addOption(new Option('--only <names...>', 'only these').choices(caseNames).default(caseNames))
    .addOption(
      new Option('--engines <names...>', 'only on these').choices(engineNames).default(engineNames),
    )
    .addOption(
      new Option(
        '--pooler <mode>',
        'the new version reaches PostgreSQL through PgBouncer in this mode',
      ).choices(['session', 'transaction']),
    )
    .option('--folder <path>', 'the folder for databases, on the disk that is measured', tmpdir())
    .addHelpText('after', '\nExit codes: 0 success; 1 failure; 2 invalid command line.')
    .showHelpAfterError('(see --help)');
  program.exitOverride();
  return program.action((old: string, next: string | undefined, options: Options) =>
    compare(old, next ?? resolve(import.meta.dir, '..'), options),
  );
}

interface Options {
  readonly turns: number;
  readonly only: readonly CaseName[];
  readonly engines: readonly EngineName[];
  readonly pooler?: 'session' | 'transaction';
  readonly folder: string;
}

/** Fewer than 6 turns give no bounds. */
function toTurns(text: string): number {
  if (/^\d{1,4}$/.test(text) && Number(text) >= 6 && Number(text) <= 1000) return Number(text);
  throw new InvalidArgumentError('It must be a whole number from 6 to 1000.');
}

const seconds = 1;

const engineNames = ['sqlite', 'postgres'] as const;
type EngineName = (typeof engineNames)[number];

/** A server of one version, with the loads that were prepared for it. */
interface Side extends AsyncDisposable {
  readonly targets: ReadonlyMap<CaseName, Target>;
}

/** Processes differ a little, because the runtime compiles code while it runs. So several are measured. */
const turnsPerProcess = 6;

async function compare(old: string, next: string, options: Options): Promise<void> {
  const { turns, only: names, engines, pooler } = options;
  if (Bun.which('wrk') === null) throw new CliFailure('wrk is missing (Debian: wrk)');

  const folder = makeRunFolder(options.folder);
  const versions = [await prepareVersion(old, folder), await prepareVersion(next, folder)] as const;
  using progress = await startProgress('measuring', engines.length * names.length * turns * 2);
  const workbench: Workbench = {
    folder,
    pinning: choosePinning(),
    pace: { rounds: turns, secondsPerRound: seconds, warmUpSeconds, growthAnimals: [] },
    tick: () => progress.add(1),
    note: () => {},
  };
  const rows: string[][] = [];
  for (const engine of engines) {
    const measured = await measureEngine(workbench, engine, versions, { names, turns, pooler });
    for (const name of names) rows.push([engine, ...describe(name, measured.get(name) ?? [])]);
  }
  progress[Symbol.dispose]();
  print(
    `${turns} turns of ${seconds} s; old: ${old}; new: ${next}${pooler === undefined ? '' : `, behind PgBouncer in ${pooler} mode`}`,
  );
  printTable(['ENGINE', 'CASE', 'FIGURE', 'OLD', 'NEW', 'RATIO', '95 % BOUNDS'], rows);
}

interface Plan {
  readonly names: readonly CaseName[];
  readonly turns: number;
  readonly pooler: Options['pooler'];
}

/** The figures of one turn: old, new. */
type Pair = readonly [number, number];

async function measureEngine(
  workbench: Workbench,
  engine: EngineName,
  versions: readonly [Version, Version],
  { names, turns, pooler }: Plan,
): Promise<ReadonlyMap<CaseName, readonly Pair[]>> {
  await using postgres = engine === 'postgres' ? await startPostgres(workbench) : undefined;
  const old = await makeDatabase(workbench, versions[0], 'old', postgres);
  const next = await makeDatabase(workbench, versions[1], 'new', postgres);
  await using pooled =
    engine === 'postgres' && pooler !== undefined ? await startPooled(next, pooler) : undefined;
  const databases = [old, pooled?.url ?? next] as const;
  const measured = new Map<CaseName, Pair[]>(names.map((name) => [name, []]));
  for (let turn = 0; turn < turns; ) {
    await using old = await startSide(workbench, versions[0], databases[0], names, postgres);
    await using next = await startSide(workbench, versions[1], databases[1], names, postgres);
    for (let left = turnsPerProcess; left > 0 && turn < turns; left -= 1, turn += 1) {
      for (const name of names) {
        const take = (side: Side) => measureOnce(workbench, name, side);
        // The first one of a turn can have a warmer or quieter machine. So the order alternates.
        const swap = turn % 2 === 1;
        const first = await take(swap ? next : old);
        const second = await take(swap ? old : next);
        measured.get(name)?.push(swap ? [second, first] : [first, second]);
      }
    }
  }
  return measured;
}

async function measureOnce(workbench: Workbench, name: CaseName, side: Side): Promise<number> {
  const target = side.targets.get(name);
  if (target === undefined) throw new Error(`Nothing was prepared for ${name}`);
  const round = await measureRound(workbench, target, rows[name].connections, seconds);
  if (round.failedRequests > 0) {
    throw new CliFailure(`${name}: ${round.failedRequests} requests failed`);
  }
  workbench.tick();
  return cases[name].read(round);
}

async function makeDatabase(
  workbench: Workbench,
  version: Version,
  name: string,
  postgres: Postgres | undefined,
): Promise<string> {
  const url =
    postgres === undefined
      ? `sqlite:${join(mkdtempSync(join(workbench.folder, `${name}-`)), 'animals.db')}`
      : await postgres.createDatabase(name);
  await fillDatabase(workbench, url, animalsInRows, version);
  return url;
}

/** PgBouncer before this database. Its CPU is not counted. */
async function startPooled(databaseUrl: string, mode: 'session' | 'transaction') {
  const { port, pathname } = new URL(databaseUrl);
  const pgbouncer = await startPgbouncer({ port: Number(port) }, mode, {
    isNewer: mode === 'transaction',
  });
  return {
    url: `${pgbouncer.url}${pathname}`,
    [Symbol.asyncDispose]: () => pgbouncer[Symbol.asyncDispose](),
  };
}

async function startSide(
  workbench: Workbench,
  version: Version,
  databaseUrl: string,
  names: readonly CaseName[],
  postgres: Postgres | undefined,
): Promise<Side> {
  await using starting = new AsyncDisposableStack();
  const started = starting.use(await startAnimalStore(workbench, { databaseUrl, version }));
  const server = { ...started, ...(postgres && { databasePid: postgres.pid }) };
  const targets = new Map<CaseName, Target>();
  for (const name of names) {
    const load = rows[name].load(animalStoreDialect);
    const target = { server, load };
    await measureRound(workbench, target, rows[name].connections, warmUpSeconds);
    targets.set(name, target);
  }
  const running = starting.move();
  return { targets, [Symbol.asyncDispose]: () => running.disposeAsync() };
}

function describe(name: CaseName, pairs: readonly Pair[]): string[] {
  const ratios = pairs.map(([old, next]) => next / old);
  const [lower, upper] = medianBounds(ratios);
  return [
    rows[name].title,
    cases[name].figure,
    median(pairs.map(([old]) => old)).toPrecision(4),
    median(pairs.map(([, next]) => next)).toPrecision(4),
    median(ratios).toFixed(3),
    `${lower.toFixed(3)} to ${upper.toFixed(3)}`,
  ];
}

process.exitCode = await runProgram(createCompareProgram(), process.argv.slice(2));
