import type { Command } from 'commander';
import type { WorkspaceSummary } from '../../domain/access/workspace.ts';
import { addSettings, jsonOption, settingsOf } from '../../terminal/command-line.ts';
import {
  addListOptions,
  type ListOptions,
  printPages,
  readLimit,
} from '../../terminal/list-pages.ts';
import { formatTime, jsonPrinter, tablePrinter } from '../../terminal/print.ts';
import { databaseSettings, openReader } from '../open-database.ts';

const headings = ['NAME', 'ANIMALS', 'ACTIVE KEYS', 'CREATED'];

export function addWorkspacesListCommand(workspaces: Command): void {
  const command = workspaces
    .command('list')
    .description('List workspaces by name, with the number of animals and active keys.')
    .option('--after <name>', 'only workspaces after this name')
    .addOption(jsonOption());
  addListOptions(command);
  addSettings(command, databaseSettings).action(
    async (options: ListOptions & { after?: string }) => {
      const faults: string[] = [];
      const limit = readLimit(options, faults);
      await using reads = await openReader(settingsOf(command, databaseSettings, faults));
      const now = Date.now();
      const printer = options.json ? jsonPrinter(toJson) : tablePrinter(headings, toRow);
      await printPages(
        {
          async readPage(count, afterName) {
            const page = await reads.listWorkspaces({ limit: count, afterName }, now);
            return { items: page.items, next: page.nextAfterName };
          },
          moreText: (name) => `There are more workspaces. Add --after ${name} to list them`,
        },
        printer,
        limit,
        options.after,
      );
    },
  );
}

function toJson(workspace: WorkspaceSummary) {
  return { ...workspace, createdAt: formatTime(workspace.createdAt) };
}

function toRow({ name, petCount, activeApiKeyCount, createdAt }: WorkspaceSummary) {
  return [name, String(petCount), String(activeApiKeyCount), formatTime(createdAt)];
}
