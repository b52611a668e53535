import type { Command } from 'commander';
import { addSettings, settingsOf } from '../../terminal/command-line.ts';
import { print } from '../../terminal/print.ts';
import { acceptRestored, databaseSettings } from '../open-database.ts';
import { idGapDefault, parseIdGap } from './id-gap.ts';

const help = `
PostgreSQL's own tools restore the tables, but do not know which ids were given out since. No server starts on tables that
were restored from a dump until you run this command. Point-in-time recovery cannot be detected: run this after it too. Stop
all servers first.`;

export function addAcceptRestoredCommand(program: Command): void {
  const command = program
    .command('accept-restored')
    .description(
      'Prepare restored PostgreSQL tables for use: new ids start above those given out since.',
    )
    .option(
      '--id-gap <number>',
      'distance of new ids above those of the restored data: more than were given out since; 0 if nothing was lost, as after pg_upgrade',
      idGapDefault,
    )
    .addHelpText('after', help);
  addSettings(command, databaseSettings).action(async (options: { idGap: string }) => {
    const faults: string[] = [];
    const idGap = parseIdGap(options.idGap, faults);
    const config = settingsOf(command, databaseSettings, faults);
    await acceptRestored(config, idGap);
    if (idGap === 0) {
      print('New ids continue unchanged.');
      return;
    }
    print(`New ids start ${idGap} above those of the restored data.`);
    print('Keys are those of the restored data: keys revoked since then are valid again.');
  });
}
