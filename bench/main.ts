import { tmpdir } from 'node:os';
import { Command, Option } from 'commander';
import { CliFailure } from '../src/terminal/cli-failure.ts';
import { runProgram } from '../src/terminal/command-line.ts';
import { print } from '../src/terminal/print.ts';
import { startProgress } from '../src/terminal/progress.ts';
import { measureBackup } from './backup.ts';
import { measureConsole } from './console.ts';
import { measureFirstList } from './first-list.ts';
import { growthTicks, measureGrowth } from './growth.ts';
import { describeMachine } from './machine.ts';
import { manyTicks, measureMany } from './many.ts';
import { describeAims, type Report, resultsPath, type Section, writeMarkdown } from './report.ts';
import { measureRows } from './requests.ts';
import { animalsInRows, type Row, type RowName, rowNames, rows } from './rows.ts';
import { measureStreams, streamTicks } from './streams.ts';
import { prepareTestAnimals } from './test-animals.ts';
import { measureWebhooks, webhookTicks } from './webhooks.ts';
import { choosePinning, makeRunFolder, type Pace, type Workbench } from './workbench.ts';

const fullPace: Pace = {
  rounds: 5,
  secondsPerRound: 2,
  warmUpSeconds: 2,
  growthAnimals: [1000, 100_000, 10_000_000],
};

/** For rough figures, and to check that everything works. */
const quickPace: Pace = {
  rounds: 1,
  secondsPerRound: 1,
  warmUpSeconds: 0,
  growthAnimals: [1000, 100_000],
};

/** A part of the benchmark that starts its own servers. */
interface Part {
  ticks(pace: Pace): number;
  measure(workbench: Workbench): Promise<readonly Section[]>;
}

const parts: Readonly<Record<string, Part>> = {
  streams: { ticks: streamTicks, measure: measureStreams },
  webhooks: { ticks: webhookTicks, measure: measureWebhooks },
  'first-list': { ticks: ({ rounds }) => rounds, measure: measureFirstList },
  growth: { ticks: growthTicks, measure: measureGrowth },
  backup: { ticks: ({ rounds }) => rounds, measure: measureBackup },
  many: { ticks: manyTicks, measure: measureMany },
  console: { ticks: () => 2, measure: measureConsole },
};

/** Everything that `--only` can name. */
const names = [...rowNames, ...Object.keys(parts)];

interface Options {
  readonly quick: boolean;
  readonly only?: readonly string[];
  readonly folder: string;
}

function createBenchProgram(): Command {
  const program = new Command('bench')
    .description(
      'Measure the service beside nginx and other servers. Starts and stops all of them, on 127.0.0.1 only. ' +
        'Prints its tables. A complete run, without --quick and --only, also writes them into bench/results.json.',
    )
    .option('--quick', 'one short round each, and growth to 100 thousand animals only', false)
    .addOption(new Option('--only <names...>', 'only these').choices(names))
    .option('--folder <path>', 'the folder for databases, on the disk that is measured', tmpdir())
    .addHelpText('after', '\nExit codes: 0 success; 1 failure; 2 invalid command line.')
    .showHelpAfterError('(see --help)');
  program.exitOverride();
  return program.action((options: Options) => bench(options));
}

async function bench({ quick, only, folder: parent }: Options): Promise<void> {
  const chosen = only ?? names;
  // Processor times are read from /proc.
  if (process.platform !== 'linux') throw new CliFailure('The benchmark needs Linux');
  // nginx is in a folder that only the PATH of root contains.
  process.env.PATH = `${process.env.PATH ?? ''}:/usr/local/sbin:/usr/sbin`;
  if (Bun.which('wrk') === null) throw new CliFailure('wrk is missing (Debian: wrk)');

  const startedAt = new Date();
  const folder = makeRunFolder(parent);
  const pace = quick ? quickPace : fullPace;
  const chosenRows = rowNames.filter((name) => chosen.includes(name));
  const chosenParts = Object.entries(parts).filter(([name]) => chosen.includes(name));
  const notes: string[] = [];
  using progress = await startProgress('measuring', countTicks(pace, chosenRows, chosenParts));
  const workbench: Workbench = {
    folder,
    pinning: choosePinning(),
    pace,
    tick: () => progress.add(1),
    note: (text) => void notes.push(text),
  };
  const machine = await describeMachine(folder);
  const sections: Section[] = [];
  if (chosenRows.length > 0) {
    const animals = await prepareTestAnimals(workbench, animalsInRows);
    sections.push(...(await measureRows(workbench, animals, chosenRows)));
  }
  for (const [name, part] of chosenParts) {
    try {
      sections.push(...(await part.measure(workbench)));
    } catch (error) {
      workbench.note(`${name} is left out: ${error instanceof Error ? error.message : error}`);
    }
  }
  progress[Symbol.dispose]();

  const minutes = (Date.now() - startedAt.getTime()) / 60_000;
  const when = `${startedAt.toISOString().slice(0, 16).replace('T', ' ')} UTC, ${minutes.toFixed(0)} minutes`;
  const { rounds, secondsPerRound } = pace;
  const measured = [
    ['Measured', when],
    ['Rounds', `${rounds} of ${secondsPerRound} s each`],
  ];
  const command = ['npm run bench', ...(Bun.argv.length > 2 ? ['--'] : []), ...Bun.argv.slice(2)];
  const report: Report = {
    command: command.join(' '),
    machine: [...machine, ...measured],
    aims: describeAims(sections),
    sections: sections.map(({ aims: _, ...section }) => section),
    notes,
  };
  // Line by line, because `print` escapes line ends.
  for (const line of writeMarkdown(report).split('\n')) print(line);
  if (quick || only !== undefined) return;
  await Bun.write(resultsPath, `${JSON.stringify(report, undefined, 2)}\n`);
  print('Written: bench/results.json');
}

function countTicks(
  pace: Pace,
  chosenRows: readonly RowName[],
  chosenParts: readonly (readonly [string, Part])[],
): number {
  const ofRows = chosenRows.map((name) => {
    const { subjects, beside }: Row = rows[name];
    return pace.rounds * (1 + subjects.length) * (beside === undefined ? 1 : 2);
  });
  return [...ofRows, ...chosenParts.map(([, part]) => part.ticks(pace))].reduce(
    (total, ticks) => total + ticks,
    0,
  );
}

process.exitCode = await runProgram(createBenchProgram(), process.argv.slice(2));
