import { Command } from 'commander';
import type { LongTest, TestOutcome } from './long-test.ts';

interface LongTestsOptions {
  /** The command, as `--help` names it. */
  readonly command: string;
  readonly description: string;
  readonly tests: readonly LongTest[];
  /** The description of `--long`. */
  readonly longMeans: string;
  /** The option `--write`, which runs if all promises held. */
  readonly write?: { readonly means: string; run(outcomes: Outcomes, long: boolean): void };
}

/** The outcomes of the tests that could run, by name. */
type Outcomes = ReadonlyMap<string, TestOutcome>;

/**
 * Runs the tests that the command line names, one after the other, and prints a line for each. Ends the process with 0
 * if all promises held, 1 if one did not, 2 if the command line is invalid.
 */
export async function runLongTests(options: LongTestsOptions): Promise<never> {
  const { tests, write } = options;
  const { only, except = [], long = false, write: writes } = readArguments(options);
  const outcomes = new Map<string, TestOutcome>();
  for (const test of tests) {
    const { name } = test;
    if (except.includes(name) || only?.includes(name) === false) continue;
    const missing = test.missing?.();
    if (missing !== undefined) {
      process.stdout.write(`left out  ${name}: ${missing}\n`);
      continue;
    }
    const outcome = await runTwiceIfLate(test, long);
    outcomes.set(name, outcome);
    const { broken, figures } = outcome;
    const verdict = broken.length === 0 ? 'held    ' : 'BROKEN  ';
    process.stdout.write(`${verdict}  ${name}: ${[...broken, ...figures].join('; ')}\n`);
  }
  const isBroken = [...outcomes.values()].some(({ broken }) => broken.length > 0);
  if (writes === true && !isBroken) write?.run(outcomes, long);
  process.exit(isBroken ? 1 : 0);
}

async function runTwiceIfLate(test: LongTest, long: boolean): Promise<TestOutcome> {
  const { late: first = [], ...outcome } = await runOne(test, long);
  if (first.length === 0 || outcome.broken.length > 0) {
    return { ...outcome, broken: [...outcome.broken, ...first] };
  }
  const { late = [], broken, figures } = await runOne(test, long);
  return {
    broken: [...broken, ...late],
    figures: [...figures, `run twice, because at first ${first.join(', ')}`],
  };
}

/** An exception counts as a broken promise, so that the other tests still run. */
async function runOne(test: LongTest, long: boolean): Promise<TestOutcome> {
  try {
    return await test.run({ long });
  } catch (error) {
    const [line = ''] = String(error).trim().split('\n');
    return { figures: [], broken: [`the test failed: ${line}`] };
  }
}

interface Arguments {
  readonly only?: string[];
  readonly except?: string[];
  readonly long?: true;
  readonly write?: true;
}

function readArguments({ command, description, tests, longMeans, write }: LongTestsOptions) {
  const list = tests.map(({ name, title }) => `  ${name}\n      ${title}`).join('\n');
  const names = (text: string) => text.split(',');
  const program = new Command(`${command} --`)
    .description(description)
    .option('--only <names>', 'only these tests, separated by commas', names)
    .option('--except <names>', 'all tests except these, separated by commas', names)
    .option('--long', longMeans)
    .addHelpText(
      'after',
      `\nTests:\n${list}

Exit codes: 0 all promises held; 1 one did not; 2 invalid command line.`,
    )
    .exitOverride((error) => process.exit(error.exitCode === 0 ? 0 : 2));
  if (write !== undefined) program.option('--write', write.means);
  const read = program.parse().opts<Arguments>();
  const unknown = [...(read.only ?? []), ...(read.except ?? [])].filter(
    (named) => !tests.some(({ name }) => name === named),
  );
  if (unknown.length > 0) {
    process.stderr.write(`Unknown tests: ${unknown.join(', ')}. --help lists all tests.\n`);
    process.exit(2);
  }
  return read;
}
