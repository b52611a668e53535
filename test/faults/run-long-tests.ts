import { Command } from 'commander';
import { LeftOut, type LongTest, type TestOutcome } from './long-test.ts';

interface LongTestsOptions {
  /** The command, as `--help` names it. */
  readonly command: string;
  readonly description: string;
  readonly tests: readonly LongTest[];
  /** The description of `--long`. Without it, every run is long. */
  readonly longMeans?: string;
  /** The option `--write`, which runs if all promises held. */
  readonly write?: { readonly means: string; run(outcomes: Outcomes, long: boolean): void };
}

/** The outcomes of the tests that could run, by name. */
type Outcomes = ReadonlyMap<string, TestOutcome>;

/**
 * Runs the tests that the command line names, and prints a line for each. Unless the run is long, patient tests run one after
 * the other beside the rest. Tests that exceeded only a time limit then run once more, alone. Ends the process with 0 if all
 * promises held, 1 if one did not, 2 if the command line is invalid.
 */
export async function runLongTests(options: LongTestsOptions): Promise<never> {
  const { tests, write } = options;
  const {
    only,
    except = [],
    long = options.longMeans === undefined,
    write: writes,
  } = readArguments(options);
  const outcomes = new Map<string, TestOutcome>();
  const late = new Map<LongTest, readonly string[]>();
  async function runAndReport(test: LongTest): Promise<void> {
    const startedAt = performance.now();
    const outcome = await runOne(test, long);
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
    if (outcome instanceof LeftOut) {
      process.stdout.write(`left out  ${test.name}: ${outcome.message}\n`);
      return;
    }
    const before = late.get(test);
    const { late: limits = [] } = outcome;
    if (limits.length > 0 && outcome.broken.length === 0 && before === undefined) {
      late.set(test, limits);
      return;
    }
    const broken = [...outcome.broken, ...limits];
    const twice = before === undefined ? [] : [`run twice, because at first ${before.join(', ')}`];
    const figures = [...outcome.figures, ...twice];
    outcomes.set(test.name, { broken, figures });
    const verdict = broken.length === 0 ? 'held    ' : 'BROKEN  ';
    process.stdout.write(
      `${verdict}  ${test.name} (${seconds} s): ${[...broken, ...figures].join('; ')}\n`,
    );
  }
  async function runInTurn(lane: Iterable<LongTest>): Promise<void> {
    for (const test of lane) await runAndReport(test);
  }
  const chosen = tests.filter(
    ({ name }) => !except.includes(name) && only?.includes(name) !== false,
  );
  const isBeside = ({ isPatient }: LongTest) => isPatient === true && !long;
  await Promise.all([
    runInTurn(chosen.filter((test) => !isBeside(test))),
    runInTurn(chosen.filter(isBeside)),
  ]);
  await runInTurn([...late.keys()]);
  const isBroken = [...outcomes.values()].some(({ broken }) => broken.length > 0);
  if (writes === true && !isBroken) write?.run(outcomes, long);
  process.exit(isBroken ? 1 : 0);
}

/** An exception counts as a broken promise, so that the other tests still run. */
async function runOne(test: LongTest, long: boolean): Promise<TestOutcome | LeftOut> {
  const missing = test.missing?.();
  if (missing !== undefined) return new LeftOut(missing);
  try {
    return await test.run({ long });
  } catch (error) {
    if (error instanceof LeftOut) return error;
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
    .addHelpText(
      'after',
      `\nTests:\n${list}

Exit codes: 0 all promises held; 1 one did not; 2 invalid command line.`,
    )
    .exitOverride((error) => process.exit(error.exitCode === 0 ? 0 : 2));
  if (longMeans !== undefined) program.option('--long', longMeans);
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
