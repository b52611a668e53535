import type { Command } from 'commander';
import ownPath from '../../LICENSE' with { type: 'file' };
import othersPath from '../../THIRD-PARTY-LICENSES.txt' with { type: 'file' };

export function addLicensesCommand(program: Command): void {
  program
    .command('licenses')
    .description('Show the licence of the service and of all software that comes with it.')
    .action(async () => {
      const texts = await Promise.all([ownPath, othersPath].map((path) => Bun.file(path).text()));
      process.stdout.write(texts.join('\n'));
    });
}
