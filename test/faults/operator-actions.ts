import { SingleBar } from 'cli-progress';
import { Command, InvalidArgumentError } from 'commander';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import type { Fault, FaultOptions, FaultOutcome } from './fault.ts';
import {
  type Counted,
  canMountHere,
  check,
  explore,
  type Setting,
  type Shrunk,
} from './operator-actions/explore.ts';
import { findProgram } from './operator-actions/program.ts';
import { makeTemplates } from './operator-actions/templates.ts';

const everyDay = { seed: 1, sequences: 60 };
const onDemand = { seed: 1, sequences: 2000 };
const shrinkSecondsDefault = 60;
const jobsDefault = 2;

export const operatorActions: Fault = {
  name: 'operator-actions',
  title:
    'random sequences of up to eight actions of an operator: kill, move, copy, link, mount, restore, start a second server',
  promise:
    'Except for what an action itself removes, no acknowledged record is lost and no id is given out twice; a restore gives sound data; one server alone has a file; no empty shop takes the place of lost data; everything serves or ends.',
  run,
};

async function run({ long }: FaultOptions): Promise<FaultOutcome> {
  const { seed, sequences } = long ? onDemand : everyDay;
  using prepared = await prepare(undefined);
  const explored = await explore(prepared.setting, {
    seed,
    sequencesMax: sequences,
    keepsGoing: true,
    jobs: jobsDefault,
    shrinkMilliseconds: shrinkSecondsDefault * 1000,
  });
  return {
    figures: [
      `${explored.sequences} sequences${prepared.setting.canMount ? '' : ' without mounts'}`,
      explored.counted.length === 0
        ? 'no findings'
        : `${explored.counted.length} kinds of findings`,
    ],
    broken: explored.counted.map(
      ({ kind, count, firstSequence, shrunk }) =>
        `${kind} (${count} times; test/faults/operator-actions.ts --seed ${seed} --sequence ${firstSequence} --path ${shrunk.path})`,
    ),
  };
}

interface Prepared extends Disposable {
  readonly setting: Setting;
}

async function prepare(programPath: string | undefined): Promise<Prepared> {
  using making = new DisposableStack();
  const { path } = making.use(makeTemporaryFolder());
  const program = await findProgram(programPath);
  const templates = await makeTemplates(program, path);
  const made = making.move();
  const setting = { program, templates, canMount: canMountHere() };
  return { setting, [Symbol.dispose]: () => made.dispose() };
}

interface Arguments {
  readonly program?: string;
  readonly sequences: number;
  readonly seed: number;
  readonly minutes?: number;
  readonly keepGoing?: true;
  readonly jobs: number;
  readonly shrinkSeconds: number;
  readonly sequence?: number;
  readonly path?: string;
}

function readArguments(): Arguments {
  return new Command('bun test/faults/operator-actions.ts')
    .description(
      'Runs random sequences of what operators do with data files and servers, and compares the result with a model.',
    )
    .option(
      '--program <path>',
      'an executable, or a folder with src/main.ts (default: these sources)',
    )
    .option('--sequences <number>', 'how many sequences to run', readNumber, everyDay.sequences)
    .option('--seed <number>', 'the same seed gives the same sequences', readNumber, everyDay.seed)
    .option('--minutes <number>', 'run for so long instead', readNumber)
    .option('--keep-going', 'continue after a finding, and count the kinds of findings')
    .option('--jobs <number>', 'sequences that run at the same time', readNumber, jobsDefault)
    .option(
      '--shrink-seconds <number>',
      'how long to look for a shorter sequence',
      readNumber,
      shrinkSecondsDefault,
    )
    .option(
      '--sequence <number>',
      'run only this sequence of the seed, as a finding names it',
      readNumber,
    )
    .option('--path <path>', 'with --sequence: the shorter sequence that a finding names')
    .addHelpText(
      'after',
      '\nExit codes: 0 every promise held; 1 there are findings; 2 invalid command line.',
    )
    .exitOverride((error) => process.exit(error.exitCode === 0 ? 0 : 2))
    .parse()
    .opts<Arguments>();
}

function readNumber(text: string): number {
  const number = Number(text);
  if (text === '' || !Number.isFinite(number) || number < 0) {
    throw new InvalidArgumentError('It must be a number from 0.');
  }
  return number;
}

async function main(): Promise<number> {
  const { program, seed, sequence, path, ...limits } = readArguments();
  using prepared = await prepare(program);
  const { setting } = prepared;
  if (!setting.canMount) process.stderr.write('Without mounts: they need root on Linux.\n');
  if (sequence !== undefined) {
    const shrunk = await check(setting, {
      seed,
      sequence,
      ...(path === undefined ? {} : { path }),
    });
    process.stdout.write(
      shrunk === undefined ? 'Every promise held.\n' : describe(seed, sequence, shrunk),
    );
    return shrunk === undefined ? 0 : 1;
  }
  return await runAll(setting, seed, limits);
}

type Limits = Omit<Arguments, 'program' | 'seed' | 'sequence' | 'path'>;

async function runAll(setting: Setting, seed: number, limits: Limits): Promise<number> {
  const { sequences, minutes, keepGoing, jobs, shrinkSeconds } = limits;
  const startedAt = performance.now();
  const sequencesMax = minutes === undefined ? sequences : Infinity;
  const bar = process.stderr.isTTY ? new SingleBar({ clearOnComplete: true }) : undefined;
  bar?.start(minutes === undefined ? sequences : 0, 0);
  let isStopped = false;
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      isStopped = true;
    });
  }
  const explored = await explore(setting, {
    seed,
    sequencesMax,
    isStopped: () => isStopped,
    ...(minutes === undefined ? {} : { secondsMax: minutes * 60 }),
    keepsGoing: keepGoing === true,
    jobs,
    shrinkMilliseconds: shrinkSeconds * 1000,
    onFound: ({ firstSequence, shrunk }) =>
      process.stdout.write(describe(seed, firstSequence, shrunk)),
    onDone: (done) => bar?.update(done),
  });
  bar?.stop();
  const { counted } = explored;
  const seconds = (performance.now() - startedAt) / 1000;
  process.stdout.write(
    `Seed ${seed}: ${explored.sequences} sequences in ${seconds.toFixed(0)} s, ${counted.length} kinds of findings.\n${counted.map(summarize).join('')}`,
  );
  return counted.length === 0 ? 0 : 1;
}

function summarize({ kind, count, firstSequence, firstSeconds }: Counted): string {
  return `  ${kind}: ${count} times, first in sequence ${firstSequence}, after ${firstSeconds.toFixed(0)} s\n`;
}

function describe(seed: number, sequence: number, { found, path }: Shrunk): string {
  const steps = found.steps.map((text, index) => `  ${index + 1}. ${text}\n`).join('');
  return `${found.kind}: ${found.text}\n${steps}  Repeat with --seed ${seed} --sequence ${sequence} --path ${path}\n\n`;
}

if (import.meta.main) process.exit(await main());
