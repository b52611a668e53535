import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Command } from 'commander';
import { CommandFailure, misused, runProgram } from '../src/cli/command-line.ts';
import { print, printTable } from '../src/cli/print.ts';
import { startProgress } from '../src/cli/progress.ts';
import { type CaseName, caseNames, comparedAnimals, comparedCases } from './compared-cases.ts';
import { measureRound, type Target } from './measure.ts';
import { fullPace } from './paces.ts';
import { makeRunFolder } from './run-folder.ts';
import { startAnimalStore } from './servers/animal-store.ts';
import { type Postgres, startPostgres } from './servers/postgres.ts';
import { median, medianBounds } from './statistics.ts';
import { fillDatabase } from './test-animals.ts';
import { choosePinning, findTools } from './tools.ts';
import { prepareVersion, type Version } from './versions.ts';
import type { Workbench } from './workbench.ts';

/**
 * Compares two versions of the program. They are measured in turns, and what is compared is the ratio within each
 * turn: so a machine that is shared, and now faster and now slower, changes both sides of each ratio alike.
 */
function createCompareProgram(): Command {
  const program = new Command('bench:compare')
    .description(
      'Measure two versions of the program in turns, on 127.0.0.1 only, and print the median of the ratios ' +
        'with its 95 % bounds: below 1 the new version is the cheaper one.',
    )
    .argument('<old>', 'a revision of git, or a folder with the program and its node_modules')
    .argument('[new]', 'the same (default: this folder)')
    .option('--turns <number>', 'how often each is measured; at least 6', '30')
    .option('--seconds <number>', 'of each measurement', '1')
    .option('--only <names>', `only these, separated by commas: ${caseNames.join(', ')}`)
    .option(
      '--engines <names>',
      'sqlite, postgres or both, separated by a comma',
      'sqlite,postgres',
    )
    .option('--folder <path>', 'where databases are made, on the disk to be measured', tmpdir())
    .addHelpText('after', '\nExit codes: 0 success; 1 failure; 2 invalid command line.')
    .showHelpAfterError('(see --help)');
  program.exitOverride();
  return program.action((old: string, next: string | undefined, options: Options) =>
    compare(old, next ?? resolve(import.meta.dir, '..'), options),
  );
}

interface Options {
  readonly turns: string;
  readonly seconds: string;
  readonly only?: string;
  readonly engines: string;
  readonly folder: string;
}

const engineNames = ['sqlite', 'postgres'] as const;
type EngineName = (typeof engineNames)[number];

/** A server of one version, with the loads that were prepared for it. */
interface Side extends AsyncDisposable {
  readonly targets: ReadonlyMap<CaseName, Target>;
}

/** Each process of a runtime that compiles as it goes is a little other than the last: several are measured. */
const turnsPerProcess = 6;

async function compare(old: string, next: string, options: Options): Promise<void> {
  const faults: string[] = [];
  const turns = readNumber('--turns', options.turns, 6, 1000, faults);
  const seconds = readNumber('--seconds', options.seconds, 1, 60, faults);
  const names = readNames('--only', options.only, caseNames, faults);
  const engines = readNames('--engines', options.engines, engineNames, faults);
  if (faults.length > 0) throw misused(...faults);
  const tools = findTools();
  if (!tools.has('wrk')) throw new CommandFailure(['wrk is missing (Debian: wrk)']);

  const folder = makeRunFolder(options.folder);
  const versions = [await prepareVersion(old, folder), await prepareVersion(next, folder)] as const;
  using progress = await startProgress('measuring', engines.length * names.length * turns * 2);
  const workbench: Workbench = {
    folder,
    tools,
    pinning: choosePinning(),
    pace: fullPace,
    animals: comparedAnimals,
    tick: () => progress.add(1),
    note: () => {},
  };
  const rows: string[][] = [];
  for (const engine of engines) {
    const measured = await measureEngine(workbench, engine, versions, { names, turns, seconds });
    for (const name of names) rows.push([engine, ...describe(name, measured.get(name) ?? [])]);
  }
  progress[Symbol.dispose]();
  print(`${turns} turns of ${seconds} s; old: ${old}; new: ${next}`);
  printTable(['ENGINE', 'CASE', 'FIGURE', 'OLD', 'NEW', 'RATIO', '95 % BOUNDS'], rows);
}

interface Plan {
  readonly names: readonly CaseName[];
  readonly turns: number;
  readonly seconds: number;
}

/** The figures of one turn: old, new. */
type Pair = readonly [number, number];

async function measureEngine(
  workbench: Workbench,
  engine: EngineName,
  versions: readonly [Version, Version],
  { names, turns, seconds }: Plan,
): Promise<ReadonlyMap<CaseName, readonly Pair[]>> {
  await using postgres = engine === 'postgres' ? await startPostgres(workbench) : undefined;
  const databases = [
    await makeDatabase(workbench, versions[0], 'old', postgres),
    await makeDatabase(workbench, versions[1], 'new', postgres),
  ] as const;
  const measured = new Map<CaseName, Pair[]>(names.map((name) => [name, []]));
  for (let turn = 0; turn < turns; ) {
    await using old = await startSide(workbench, versions[0], databases[0], names, postgres);
    await using next = await startSide(workbench, versions[1], databases[1], names, postgres);
    for (let left = turnsPerProcess; left > 0 && turn < turns; left -= 1, turn += 1) {
      for (const name of names) {
        const take = (side: Side) => measureOnce(workbench, name, side, seconds);
        // Who comes first may find a warmer or a quieter machine: they take turns in that, too.
        const swap = turn % 2 === 1;
        const first = await take(swap ? next : old);
        const second = await take(swap ? old : next);
        measured.get(name)?.push(swap ? [second, first] : [first, second]);
      }
    }
  }
  return measured;
}

async function measureOnce(
  workbench: Workbench,
  name: CaseName,
  side: Side,
  seconds: number,
): Promise<number> {
  const target = side.targets.get(name);
  if (target === undefined) throw new Error(`Nothing was prepared for ${name}`);
  const round = await measureRound(workbench, target, comparedCases[name].connections, seconds);
  if (round.failedRequests > 0) {
    throw new CommandFailure([`${name}: ${round.failedRequests} requests failed`]);
  }
  workbench.tick();
  return comparedCases[name].read(round);
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
  await fillDatabase(workbench, url, comparedAnimals, version);
  return url;
}

const warmUpSeconds = 1;

async function startSide(
  workbench: Workbench,
  version: Version,
  databaseUrl: string,
  names: readonly CaseName[],
  postgres: Postgres | undefined,
): Promise<Side> {
  await using starting = new AsyncDisposableStack();
  const server = starting.use(await startAnimalStore(workbench, { databaseUrl, version }));
  const { headers } = server;
  const fetchPath = (path: string) => fetch(`${server.origin}${path}`, { headers });
  const targets = new Map<CaseName, Target>();
  for (const name of names) {
    const load = await comparedCases[name].load({ folder: workbench.folder, fetch: fetchPath });
    const target = { server, load, databasePid: postgres?.pid };
    await measureRound(workbench, target, comparedCases[name].connections, warmUpSeconds);
    targets.set(name, target);
  }
  const started = starting.move();
  return { targets, [Symbol.asyncDispose]: () => started.disposeAsync() };
}

function describe(name: CaseName, pairs: readonly Pair[]): string[] {
  const ratios = pairs.map(([old, next]) => next / old);
  const [lower, upper] = medianBounds(ratios);
  return [
    comparedCases[name].title,
    comparedCases[name].figure,
    median(pairs.map(([old]) => old)).toPrecision(4),
    median(pairs.map(([, next]) => next)).toPrecision(4),
    median(ratios).toFixed(3),
    `${lower.toFixed(3)} to ${upper.toFixed(3)}`,
  ];
}

function readNumber(
  flag: string,
  text: string,
  min: number,
  max: number,
  faults: string[],
): number {
  const value = /^[0-9]{1,4}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= min && value <= max)) {
    faults.push(`${flag} must be a whole number from ${min} to ${max}, got "${text}"`);
  }
  return value;
}

function readNames<Name extends string>(
  flag: string,
  text: string | undefined,
  allowed: readonly Name[],
  faults: string[],
): readonly Name[] {
  if (text === undefined) return allowed;
  const asked = text.split(',').map((part) => part.trim());
  const unknown = asked.filter((name) => !allowed.includes(name as Name));
  if (unknown.length > 0) {
    faults.push(`${flag} must name some of ${allowed.join(', ')}, got "${unknown.join(', ')}"`);
  }
  return allowed.filter((name) => asked.includes(name));
}

process.exitCode = await runProgram(createCompareProgram(), process.argv.slice(2));
