import type { Command } from 'commander';
import { pluralize } from '../../domain/values/pluralize.ts';
import { addSettings, settingsOf } from '../../terminal/command-line.ts';
import { print } from '../../terminal/print.ts';
import { showWork } from '../../terminal/progress.ts';
import { acceptRestored, databaseSettings, describeStored } from '../open-database.ts';
import { confirmChange, yesOption } from './confirm-change.ts';
import { idGapDefault, idGapParsers } from './id-gap.ts';
import { printPausedWebhooks } from './paused-webhooks.ts';

const help = `
Other programs that restore data, such as pg_restore, Litestream, a snapshot of a disk or cp, do not know which ids were assigned
later. On PostgreSQL, no server starts on tables that were restored from a dump until you run this command. Point-in-time recovery
cannot be detected: run the command after it too. On SQLite, no server starts on a file that another program restored or replaced,
or that lacks acknowledged writes, until you run this command or restore a backup. A snapshot of the whole folder cannot be
detected. The file as it was is kept as NAME.TIME. Stop all servers first.`;

export function addAcceptRestoredCommand(program: Command): void {
  const command = program
    .command('accept-restored')
    .description(
      'Prepare data for use that another program restored, so that no id is assigned twice.',
    )
    .option(
      '--id-gap <number>',
      'distance of new ids above those of the restored data; it must be larger than the number of ids that were assigned later; 0 if nothing was lost, as after pg_upgrade',
      idGapDefault,
    )
    .option(...yesOption)
    .addHelpText('after', help);
  addSettings(command, databaseSettings).action(async ({ yes }: { yes?: true }) => {
    const { idGap, ...config } = settingsOf(command, databaseSettings, idGapParsers);
    const stored = await describeStored(config);
    await confirmChange(`${questionOf(stored, idGap)} Stop all servers first.`, yes);
    const { pausedWebhooks, keptAs, animals, apiKeys } = await showWork('preparing', (onBegin) =>
      acceptRestored(config, { idGap, onBegin }),
    );
    if (animals !== undefined && apiKeys !== undefined) {
      print(`The data has ${pluralize(animals, 'animal')} and ${pluralize(apiKeys, 'key')}.`);
    }
    if (idGap === 0) {
      print('New ids continue unchanged.');
    } else {
      print(`New ids start ${idGap} above those of the restored data.`);
      print('Keys are those of the restored data: keys revoked since then are valid again.');
    }
    printPausedWebhooks(pausedWebhooks);
    if (keptAs !== undefined) print(`The file as it was is kept as ${keptAs}.`);
  });
}

function questionOf(stored: string, idGap: number): string {
  const ids = idGap === 0 ? '' : `, new ids start ${idGap} higher, and each feed gets feed.reset`;
  return `This changes the data in ${stored}: webhooks are paused, sessions of the console end${ids}.`;
}
