import { tmpdir } from 'node:os';
import { Command } from 'commander';
import { CommandFailure, misused, runProgram } from '../src/cli/command-line.ts';
import { echo } from '../src/domain/error.ts';
import { fullPace, type PartName, partNames, quickPace } from './paces.ts';
import { printResult } from './report/print-result.ts';
import { readResult, writeReport } from './report/write-report.ts';
import { runBench } from './run.ts';
import { makeRunFolder } from './run-folder.ts';
import { isSupportedPlatform } from './tools.ts';

interface Options {
  readonly quick: boolean;
  readonly only?: string;
  readonly folder: string;
  readonly render?: string;
}

function createBenchProgram(): Command {
  const program = new Command('bench')
    .description(
      'Measure the service beside nginx and its peers. Starts everything itself, on 127.0.0.1 only, and ' +
        'stops it again. A whole run writes bench/results/DATE.json and docs/benchmarks.md; with --quick ' +
        'or --only it writes a draft into bench/results/draft.',
    )
    .option('--quick', 'few and short rounds, and growth to 100 thousand animals only', false)
    .option('--only <names>', `only these parts, separated by commas: ${partNames.join(', ')}`)
    .option('--folder <path>', 'where databases are made, on the disk to be measured', tmpdir())
    .option('--render <file>', 'measure nothing; write the documents of these results anew')
    .addHelpText('after', '\nExit codes: 0 success; 1 failure; 2 invalid command line.')
    .showHelpAfterError('(see --help)');
  program.exitOverride();
  return program.action((options: Options) => bench(options));
}

async function bench({ quick, only, folder, render }: Options): Promise<void> {
  if (render !== undefined) {
    await writeReport(await readResult(render));
    return;
  }
  const parts = only === undefined ? partNames : parseParts(only);
  if (!isSupportedPlatform()) {
    throw new CommandFailure(['The benchmark needs Linux on x64 or arm64']);
  }
  const result = await runBench({
    parts,
    pace: quick ? quickPace : fullPace,
    folder: makeRunFolder(folder),
    command: [
      'npm run bench',
      ...(process.argv.length > 2 ? ['--'] : []),
      ...process.argv.slice(2),
    ].join(' '),
  });
  printResult(result);
  const written = await writeReport(result);
  console.log(`\nWritten: ${written.join(', ')}`);
}

function parseParts(text: string): readonly PartName[] {
  return text.split(',').map((name) => {
    const part = partNames.find((candidate) => candidate === name.trim());
    if (part === undefined) {
      throw misused(`--only must name some of ${partNames.join(', ')}, got ${echo(name)}`);
    }
    return part;
  });
}

process.exitCode = await runProgram(createBenchProgram(), process.argv.slice(2));
