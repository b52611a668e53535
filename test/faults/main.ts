import { Command } from 'commander';
import { faults } from './faults.ts';
import { type Results, readResults, writeResults } from './results.ts';

const program = new Command('npm run test:faults --')
  .description('Makes things go wrong under load, and checks that the promises hold.')
  .option('--only <names>', 'only these, separated by commas', (text) => text.split(','))
  .option('--long', 'more rounds, where a fault is done again and again')
  .option('--write', 'put the figures into docs/promises.md')
  .addHelpText(
    'after',
    `\nFaults:\n${faults.map(({ name, title }) => `  ${name}\n      ${title}`).join('\n')}

Exit codes: 0 all promises held; 1 one did not; 2 it was not understood.`,
  )
  .parse();

const options = program.opts<{ only?: string[]; long?: true; write?: true }>();
const unknown = options.only?.filter((only) => !faults.some(({ name }) => name === only)) ?? [];
if (unknown.length > 0) {
  process.stderr.write(`There is no fault ${unknown.join(', ')}; --help lists them\n`);
  process.exit(2);
}

const results: Results = { ...readResults() };
let failed = 0;
for (const fault of faults) {
  if (options.only !== undefined && !options.only.includes(fault.name)) continue;
  const missing = fault.missing?.();
  if (missing !== undefined) {
    process.stdout.write(`left out  ${fault.name}: ${missing}\n`);
    continue;
  }
  const { figures, broken } = await fault.run({ long: options.long === true });
  if (broken.length > 0) failed += 1;
  const verdict = broken.length === 0 ? 'held    ' : 'BROKEN  ';
  process.stdout.write(`${verdict}  ${fault.name}: ${[...broken, ...figures].join('; ')}\n`);
  results[fault.name] = { measuredOn: new Date().toISOString().slice(0, 10), figures };
}
if (options.write === true && failed === 0) writeResults(faults, results);
process.exit(failed === 0 ? 0 : 1);
