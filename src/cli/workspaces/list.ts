import type { Command } from 'commander';
import { addSettings, jsonOption, settingsOf } from '../command-line.ts';
import { databaseSettings, openReader } from '../open-database.ts';
import { formatTime, printJson, printTable } from '../print.ts';

export function addWorkspacesListCommand(workspaces: Command): void {
  const command = workspaces
    .command('list')
    .description('List all workspaces, with the number of animals and active keys.')
    .addOption(jsonOption());
  addSettings(command, databaseSettings).action(async (options: { json?: true }) => {
    await using reads = await openReader(settingsOf(command, databaseSettings));
    const list = await reads.listWorkspaces(Date.now());
    if (options.json) {
      printJson(list.map((item) => ({ ...item, createdAt: formatTime(item.createdAt) })));
      return;
    }
    printTable(
      ['NAME', 'ANIMALS', 'ACTIVE KEYS', 'CREATED'],
      list.map(({ name, petCount, activeApiKeyCount, createdAt }) => [
        name,
        String(petCount),
        String(activeApiKeyCount),
        formatTime(createdAt),
      ]),
    );
  });
}
