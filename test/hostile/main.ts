import { Command } from 'commander';
import { hostilities } from './hostilities.ts';

const program = new Command('npm run test:hostile --')
  .description('Does to the service what strangers may do, and checks that the promises hold.')
  .option('--only <names>', 'only these, separated by commas', (text) => text.split(','))
  .option('--long', 'many more requests')
  .addHelpText(
    'after',
    `\nWhat there is:\n${hostilities.map(({ name, title }) => `  ${name}\n      ${title}`).join('\n')}

Exit codes: 0 all promises held; 1 one did not; 2 it was not understood.`,
  )
  .exitOverride((error) => process.exit(error.exitCode === 0 ? 0 : 2))
  .parse();

const options = program.opts<{ only?: string[]; long?: true }>();
const unknown =
  options.only?.filter((only) => !hostilities.some(({ name }) => name === only)) ?? [];
if (unknown.length > 0) {
  process.stderr.write(`There is no ${unknown.join(', ')}; --help lists what there is\n`);
  process.exit(2);
}

let failed = 0;
for (const hostility of hostilities) {
  if (options.only !== undefined && !options.only.includes(hostility.name)) continue;
  const missing = hostility.missing?.();
  if (missing !== undefined) {
    process.stdout.write(`left out  ${hostility.name}: ${missing}\n`);
    continue;
  }
  const { figures, broken } = await hostility.run({ long: options.long === true });
  if (broken.length > 0) failed += 1;
  const verdict = broken.length === 0 ? 'held    ' : 'BROKEN  ';
  process.stdout.write(`${verdict}  ${hostility.name}: ${[...broken, ...figures].join('; ')}\n`);
}
process.exit(failed === 0 ? 0 : 1);
