import type { Command } from 'commander';
import type { WorkspaceSummary } from '../../domain/access/workspace.ts';
import { formatTime } from '../../terminal/print.ts';
import { addListAction } from '../list-command.ts';

export function addWorkspacesListCommand(workspaces: Command): void {
  const command = workspaces
    .command('list')
    .description('List workspaces by name, with the number of animals and active keys.')
    .option('--after <name>', 'only workspaces after this name');
  addListAction<{ after?: string }, WorkspaceSummary, string>(command, (options) => (reads) => {
    const now = Date.now();
    return {
      headings: ['NAME', 'ANIMALS', 'ACTIVE KEYS', 'CREATED'],
      toRow: ({ name, petCount, activeApiKeyCount, createdAt }) => [
        name,
        String(petCount),
        String(activeApiKeyCount),
        formatTime(createdAt),
      ],
      toJson: (workspace) => ({ ...workspace, createdAt: formatTime(workspace.createdAt) }),
      first: options.after,
      async readPage(limit, afterName) {
        const page = await reads.listWorkspaces({ limit, afterName }, now);
        return { items: page.items, next: page.nextAfterName };
      },
      moreText: (name) => `The list has more workspaces. Add --after ${name} to list them`,
    };
  });
}
