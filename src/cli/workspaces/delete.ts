import type { Command } from 'commander';
import { defaultWorkspaceName, type WorkspaceSummary } from '../../domain/access/workspace.ts';
import type { CommandWriter } from '../../domain/database/commands.ts';
import { CliFailure, noSuchWorkspace } from '../../terminal/cli-failure.ts';
import { addSettings, settingsOf } from '../../terminal/command-line.ts';
import { confirm } from '../../terminal/confirm.ts';
import { pluralize, print } from '../../terminal/print.ts';
import { startProgress } from '../../terminal/progress.ts';
import { databaseSettings, openExistingDatabase } from '../open-database.ts';

/** How many rows of each kind one command deletes, so that other writes do not wait long. */
const deleteRowsMax = 2000;

export function addWorkspacesDeleteCommand(workspaces: Command): void {
  const command = workspaces
    .command('delete')
    .description('Permanently delete a workspace with its animals, categories, orders and keys.')
    .argument('<name>', 'name of the workspace')
    .option('--yes', 'do not ask for confirmation');
  addSettings(command, databaseSettings).action(async (name: string, options: { yes?: true }) => {
    const canAsk = options.yes !== undefined || process.stdin.isTTY;
    const faults = canAsk ? [] : ['stdin is not a terminal; pass --yes'];
    const config = settingsOf(command, databaseSettings, faults);
    if (name === defaultWorkspaceName) {
      throw new CliFailure(`Workspace ${defaultWorkspaceName} cannot be deleted`);
    }
    await using database = await openExistingDatabase(config);
    const workspace = await database.findWorkspaceSummary(name, Date.now());
    if (workspace === undefined) throw noSuchWorkspace(name);
    const { petCount, activeApiKeyCount } = workspace;
    const contents = `${pluralize(petCount, 'animal')} and ${pluralize(activeApiKeyCount, 'active key')}`;
    const question = `Delete workspace ${name} with ${contents}, permanently? Type its name to confirm: `;
    if (options.yes === undefined && !(await confirm(question, name))) {
      throw new CliFailure('Nothing was deleted');
    }
    await deleteInSteps(database, workspace);
    print(`Deleted workspace ${name} with ${contents}.`);
  });
}

async function deleteInSteps(
  writer: CommandWriter,
  { id, petCount }: WorkspaceSummary,
): Promise<void> {
  using progress = await startProgress('deleting animals', petCount);
  for (let gone = false; !gone; ) {
    const step = { id, rowsMax: deleteRowsMax, now: Date.now() };
    const { ok } = await writer.write('deleteWorkspaceStep', step);
    progress.add(ok.petsDeleted);
    gone = ok.gone;
  }
}
