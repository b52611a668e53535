import type { Command } from 'commander';
import { addWorkspacesCreateCommand } from './workspaces/create.ts';
import { addWorkspacesDeleteCommand } from './workspaces/delete.ts';
import { addWorkspacesListCommand } from './workspaces/list.ts';

export function addWorkspacesCommand(program: Command): void {
  const workspaces = program
    .command('workspaces')
    .description(
      'Create, list and delete workspaces: separate catalogues, each with its own keys.',
    );
  addWorkspacesCreateCommand(workspaces);
  addWorkspacesListCommand(workspaces);
  addWorkspacesDeleteCommand(workspaces);
}
