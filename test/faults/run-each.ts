import { Command } from 'commander';
import type { Fault, FaultOutcome } from './fault.ts';

export interface RunEachOptions {
  /** The command, as `--help` names it. */
  readonly command: string;
  readonly description: string;
  readonly faults: readonly Fault[];
  /** `--long`, in the words of `--help`. */
  readonly longMeans: string;
  /** What `--write` does once all promises held, with what was found; without it there is no such option. */
  readonly write?: { readonly means: string; run(outcomes: Outcomes, long: boolean): void };
}

/** What the faults that could run came to, by their names. */
export type Outcomes = ReadonlyMap<string, FaultOutcome>;

/**
 * Runs what the command line asks for, one after the other, and tells what came of each in a line. Ends the process: 0
 * where all promises held, 1 where one did not, 2 where it was not understood.
 */
export async function runEach(options: RunEachOptions): Promise<never> {
  const { faults, write } = options;
  const { only, except = [], long, write: writes } = readArguments(options);
  const outcomes = new Map<string, FaultOutcome>();
  for (const fault of faults) {
    const { name } = fault;
    if (except.includes(name) || only?.includes(name) === false) continue;
    const missing = fault.missing?.();
    if (missing !== undefined) {
      process.stdout.write(`left out  ${name}: ${missing}\n`);
      continue;
    }
    const outcome = await runTwiceIfLate(fault, long === true);
    outcomes.set(name, outcome);
    const { broken, figures } = outcome;
    const verdict = broken.length === 0 ? 'held    ' : 'BROKEN  ';
    process.stdout.write(`${verdict}  ${name}: ${[...broken, ...figures].join('; ')}\n`);
  }
  const isBroken = [...outcomes.values()].some(({ broken }) => broken.length > 0);
  if (writes === true && !isBroken) write?.run(outcomes, long === true);
  process.exit(isBroken ? 1 : 0);
}

async function runTwiceIfLate(fault: Fault, long: boolean): Promise<FaultOutcome> {
  const { late: first = [], ...outcome } = await runOne(fault, long);
  if (first.length === 0 || outcome.broken.length > 0) {
    return { ...outcome, broken: [...outcome.broken, ...first] };
  }
  const { late = [], broken, figures } = await runOne(fault, long);
  return {
    broken: [...broken, ...late],
    figures: [...figures, `run twice, since at first ${first.join(', ')}`],
  };
}

/** A fault that nobody foresaw is told like the others, and keeps none of them from running. */
async function runOne(fault: Fault, long: boolean): Promise<FaultOutcome> {
  try {
    return await fault.run({ long });
  } catch (error) {
    const [line = ''] = String(error).trim().split('\n');
    return { figures: [], broken: [`it could not be run to its end: ${line}`] };
  }
}

interface Arguments {
  readonly only?: string[];
  readonly except?: string[];
  readonly long?: true;
  readonly write?: true;
}

function readArguments({ command, description, faults, longMeans, write }: RunEachOptions) {
  const list = faults.map(({ name, title }) => `  ${name}\n      ${title}`).join('\n');
  const names = (text: string) => text.split(',');
  const program = new Command(`${command} --`)
    .description(description)
    .option('--only <names>', 'only these, separated by commas', names)
    .option('--except <names>', 'all but these, separated by commas', names)
    .option('--long', longMeans)
    .addHelpText(
      'after',
      `\nWhat there is:\n${list}

Exit codes: 0 all promises held; 1 one did not; 2 invalid command line.`,
    )
    .exitOverride((error) => process.exit(error.exitCode === 0 ? 0 : 2));
  if (write !== undefined) program.option('--write', write.means);
  const read = program.parse().opts<Arguments>();
  const unknown = [...(read.only ?? []), ...(read.except ?? [])].filter(
    (named) => !faults.some(({ name }) => name === named),
  );
  if (unknown.length > 0) {
    process.stderr.write(`There is no ${unknown.join(', ')}; see --help\n`);
    process.exit(2);
  }
  return read;
}
