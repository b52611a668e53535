import type { Command } from 'commander';
import { addSettings, settingsOf } from '../../terminal/command-line.ts';
import { print } from '../../terminal/print.ts';
import { acceptRestored, databaseSettings } from '../open-database.ts';
import { idGapDefault, idGapParsers } from './id-gap.ts';
import { printPausedWebhooks } from './paused-webhooks.ts';

const help = `
The tools of PostgreSQL restore the tables, but do not know which ids were assigned later. No server starts on tables that were
restored from a dump until you run this command. Point-in-time recovery cannot be detected: run the command after it too.
Stop all servers first.`;

export function addAcceptRestoredCommand(program: Command): void {
  const command = program
    .command('accept-restored')
    .description('Prepare restored PostgreSQL tables for use, so that no id is assigned twice.')
    .option(
      '--id-gap <number>',
      'distance of new ids above those of the restored data; must be more than were assigned later; 0 if nothing was lost, as after pg_upgrade',
      idGapDefault,
    )
    .addHelpText('after', help);
  addSettings(command, databaseSettings).action(async () => {
    const { idGap, ...config } = settingsOf(command, databaseSettings, idGapParsers);
    const pausedWebhooks = await acceptRestored(config, idGap);
    if (idGap === 0) {
      print('New ids continue unchanged.');
    } else {
      print(`New ids start ${idGap} above those of the restored data.`);
      print('Keys are those of the restored data: keys revoked since then are valid again.');
    }
    printPausedWebhooks(pausedWebhooks);
  });
}
