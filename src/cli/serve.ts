import type { Command } from 'commander';
import { serverSettings } from '../server/settings.ts';
import { addSettings, settingsOf } from '../terminal/command-line.ts';
import { serverDatabaseSettings } from './open-database.ts';

const settingNames = [...serverDatabaseSettings, ...serverSettings] as const;

export function addServeCommand(program: Command): void {
  const command = program
    .command('serve')
    .description(
      'Serve the catalogue over HTTP until the process receives SIGTERM or SIGINT, or its terminal is closed.',
    );
  addSettings(command, settingNames).action(async () => {
    const config = settingsOf(command, settingNames);
    // Loaded when it is used, because it would delay the start of every other command.
    const { serve } = await import('./start-server.ts');
    await serve(config, new Set(Object.keys(command.opts())));
  });
}
