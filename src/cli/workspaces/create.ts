import type { Command } from 'commander';
import { isWorkspaceName, workspaceNameRule } from '../../domain/access/workspace.ts';
import { echo } from '../../domain/echo.ts';
import { CliFailure } from '../../terminal/cli-failure.ts';
import { addSettings, settingsOf } from '../../terminal/command-line.ts';
import { print } from '../../terminal/print.ts';
import { creatingSettings, openDatabase } from '../open-database.ts';

export function addWorkspacesCreateCommand(workspaces: Command): void {
  const command = workspaces
    .command('create')
    .description('Create an empty workspace.')
    .argument('<name>', workspaceNameRule);
  addSettings(command, creatingSettings).action(async (name: string) => {
    const faults = isWorkspaceName(name) ? [] : [`NAME ${workspaceNameRule}, got ${echo(name)}`];
    const config = settingsOf(command, creatingSettings, faults);
    await using database = await openDatabase(config);
    const outcome = await database.write('createWorkspace', { name, now: Date.now() });
    if ('refused' in outcome) throw new CliFailure(`Workspace ${name} already exists`);
    print(
      `Created workspace ${name}. Create a key with: animal-store keys create --workspace ${name} --name NAME`,
    );
  });
}
