import { Command, InvalidArgumentError } from 'commander';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import type { LongTest, TestOptions, TestOutcome } from './long-test.ts';
import { missingForMemoryMounts } from './mounts.ts';
import { check, explore, type Setting, type Shrunk } from './operator-actions/explore.ts';
import { makeTemplates } from './operator-actions/templates.ts';

const seedDefault = 1;
const sequencesEveryDay = 15;
const sequencesOnDemand = 500;

export const operatorActions: LongTest = {
  name: 'operator-actions',
  title:
    'random sequences of up to eight actions of an operator: kill, move, copy, link, mount, restore, start a second server, empty, cut and overwrite files, use other programs with SQLite',
  isPatient: true,
  run,
};

async function run({ long }: TestOptions): Promise<TestOutcome> {
  using prepared = await prepare();
  const sequences = long ? sequencesOnDemand : sequencesEveryDay;
  // Always the same sequences, but other ones on each day of long runs.
  const seed = long ? Math.floor(Date.now() / 86_400_000) : seedDefault;
  const counts = await explore(prepared.setting, seed, sequences);
  return {
    figures: [
      `${sequences} sequences of seed ${seed}${prepared.setting.canMount ? '' : ' without mounts'}`,
      counts.length === 0 ? 'no findings' : `${counts.length} kinds of findings`,
    ],
    broken: counts.map(
      ({ kind, count, firstSequence, shrunk: { found, path } }) =>
        `${kind} (${count} times; test/faults/operator-actions.ts --seed ${seed} --sequence ${firstSequence} --path ${path}): ${[...found.steps, found.text].join(' | ').replaceAll('\n', ' ')}`,
    ),
  };
}

async function prepare(): Promise<{ readonly setting: Setting } & Disposable> {
  using creating = new DisposableStack();
  const { path } = creating.use(makeTemporaryFolder());
  const templates = await makeTemplates(path);
  const created = creating.move();
  const setting = { templates, canMount: missingForMemoryMounts() === undefined };
  return { setting, [Symbol.dispose]: () => created.dispose() };
}

interface Arguments {
  readonly sequences: number;
  readonly seed: number;
  readonly sequence?: number;
  readonly path?: string;
}

function readArguments(): Arguments {
  return new Command('bun test/faults/operator-actions.ts')
    .description(
      'Runs random sequences of operator actions on data files and servers, and compares the result with a model.',
    )
    .option('--sequences <number>', 'number of sequences', readNumber, sequencesEveryDay)
    .option('--seed <number>', 'the same seed gives the same sequences', readNumber, seedDefault)
    .option('--sequence <number>', 'run only this sequence of the seed', readNumber)
    .option('--path <path>', 'with --sequence: run the shorter sequence of a finding')
    .addHelpText('after', '\nExit codes: 0 every promise held; 1 findings; 2 invalid command line.')
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
  const { seed, sequence, sequences, path } = readArguments();
  using prepared = await prepare();
  const { setting } = prepared;
  if (!setting.canMount) process.stderr.write('Without mounts: they need root on Linux.\n');
  if (sequence !== undefined) {
    const shrunk = await check(setting, { seed, sequence, ...(path && { path }) });
    process.stdout.write(shrunk ? describe(seed, sequence, shrunk) : 'Every promise held.\n');
    return shrunk === undefined ? 0 : 1;
  }
  const counts = await explore(setting, seed, sequences, ({ firstSequence, shrunk }) =>
    process.stdout.write(describe(seed, firstSequence, shrunk)),
  );
  process.stdout.write(`Seed ${seed}: ${counts.length} kinds of findings.\n`);
  for (const { kind, count, firstSequence } of counts) {
    process.stdout.write(`  ${kind}: ${count} times, first in sequence ${firstSequence}\n`);
  }
  return counts.length === 0 ? 0 : 1;
}

function describe(seed: number, sequence: number, { found, path }: Shrunk): string {
  const steps = found.steps.map((text, index) => `  ${index + 1}. ${text}\n`).join('');
  return `${found.kind}: ${found.text}\n${steps}  Repeat with --seed ${seed} --sequence ${sequence} --path ${path}\n\n`;
}

if (import.meta.main) process.exit(await main());
