import type { Command } from 'commander';
import { addSettings, settingsOf } from './command-line.ts';
import { idGapDefault, parseIdGap } from './id-gap.ts';
import { databaseSettings, takeRestored } from './open-database.ts';
import { print } from './print.ts';

const help = `
PostgreSQL's own tools restore its data, and know nothing of the ids that were given out since. Until this was run, no
server starts on tables that were restored from a dump. It cannot be noticed that a whole cluster was taken back to an
earlier time, as by point-in-time recovery: run this then, too. Stop all servers first.`;

export function addRestoredCommand(program: Command): void {
  const command = program
    .command('restored')
    .description(
      'Make data ready for use that was restored in PostgreSQL: ids go on above those given out since.',
    )
    .option(
      '--id-gap <number>',
      'how far ids go on above those of the restored data: more than were given out since; 0 where nothing was lost, as by pg_upgrade',
      idGapDefault,
    )
    .addHelpText('after', help);
  addSettings(command, databaseSettings).action(async (options: { idGap: string }) => {
    const faults: string[] = [];
    const idGap = parseIdGap(options.idGap, faults);
    const config = settingsOf(command, databaseSettings, faults);
    await takeRestored(config, idGap);
    if (idGap === 0) {
      print('Ids go on from where they are.');
      return;
    }
    print(`Ids go on ${idGap} above those of the restored data.`);
    print('Keys are as they were then: one that was revoked since is valid again.');
  });
}
