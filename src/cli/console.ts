import { connect } from 'node:net';
import type { Command } from 'commander';
import { claimEnvironment } from '../server/claim-environment.ts';
import { makeConsoleLink } from '../server/console-link.ts';
import { publicUrlSettings } from '../server/settings.ts';
import { addSettings, isGiven, settingsOf } from '../terminal/command-line.ts';
import { formatTime, print, printJson, printNote } from '../terminal/print.ts';
import { databaseSettings, openExistingDatabase } from './open-database.ts';
import { addressDescriptions, addressSettings, originOf } from './server-address.ts';

const settingNames = [...databaseSettings, ...publicUrlSettings, ...addressSettings] as const;

export function addConsoleCommand(program: Command): void {
  const command = program
    .command('console')
    .description(
      'Print a link that signs you in to the console of a running server, as an owner of the data. It works once, for five minutes.',
    )
    .option(
      '--workspace <name>',
      'workspace to show first; default: the one that the browser showed last',
    )
    .option('--json', 'print JSON');
  addSettings(command, settingNames, addressDescriptions).action(
    async ({ workspace, json }: { workspace?: string; json?: true }) => {
      const config = settingsOf(command, settingNames);
      const origin = originOf(config);
      await using database = await openExistingDatabase(config);
      const isExplicit = isGiven(command, 'environment');
      const environment = await claimEnvironment(database, config.environment, { isExplicit });
      const settings = { ...config, environment };
      const { url, expiresAt } = await makeConsoleLink(database, settings, origin, workspace);
      if (json) printJson({ url, expiresAt: formatTime(expiresAt) });
      else print(url);
      if (url.startsWith(`${origin}/`) && !(await isListening(new URL(origin)))) {
        printNote(
          `animal-store: No server listens on ${origin}: start one within five minutes, or pass its --host and --port`,
        );
      } else if (!json) printNote('It signs in once, within five minutes.');
    },
  );
}

const connectMillisecondsMax = 1000;

function isListening({ hostname, port }: URL): Promise<boolean> {
  const host = hostname.replace(/^\[|\]$/g, '');
  const socket = connect({ host, port: Number(port || 80), timeout: connectMillisecondsMax });
  const { promise, resolve } = Promise.withResolvers<boolean>();
  socket.once('connect', () => resolve(true));
  for (const event of ['error', 'timeout']) socket.once(event, () => resolve(false));
  return promise.finally(() => socket.destroy());
}
