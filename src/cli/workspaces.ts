import type { Command } from 'commander';
import { background } from '../context/context.ts';
import {
  defaultWorkspaceName,
  isWorkspaceName,
  type WorkspaceSummary,
  workspaceNameRule,
} from '../domain/access/workspace.ts';
import { pluralize } from '../domain/values/pluralize.ts';
import { textIf } from '../ops/setting-values.ts';
import type { CommandWriter } from '../storage/contract/command-writer.ts';
import { confirm, requireTerminal } from '../terminal/ask.ts';
import { CliFailure, noSuchWorkspace } from '../terminal/cli-failure.ts';
import { addSettings, settingsOf } from '../terminal/command-line.ts';
import { formatTime, print } from '../terminal/print.ts';
import { startProgress } from '../terminal/progress.ts';
import { addListAction, optionalText } from './list-command.ts';
import {
  createRest,
  creatingSettings,
  databaseSettings,
  openDatabase,
  openExistingDatabase,
} from './open-database.ts';

/** How many rows of each kind one command deletes, so that other writes do not wait long. */
const deleteRowsMax = 2000;

export function addWorkspacesCommands(program: Command): void {
  const workspaces = program
    .command('workspaces')
    .description(
      'Create, list and delete workspaces: separate catalogues, each with its own keys.',
    );
  addCreateCommand(workspaces);
  addListCommand(workspaces);
  addDeleteCommand(workspaces);
}

function addCreateCommand(workspaces: Command): void {
  const command = workspaces
    .command('create')
    .description('Create an empty workspace.')
    .argument('<name>', workspaceNameRule);
  addSettings(command, creatingSettings).action(async () => {
    const { name, ...config } = settingsOf(command, creatingSettings, {
      name: (text) => textIf(isWorkspaceName(text), text, workspaceNameRule),
    });
    await using database = await openDatabase(config);
    const outcome = await database.write(background, 'createWorkspace', { name, now: Date.now() });
    if ('refused' in outcome) throw new CliFailure(`Workspace ${name} already exists`);
    print(
      `Created workspace ${name}. Create a key with: animal-store keys create --workspace ${name} --name NAME`,
    );
  });
}

function addListCommand(workspaces: Command): void {
  const command = workspaces
    .command('list')
    .description('List workspaces by name, with the number of animals and active keys.')
    .option('--after <name>', 'only workspaces after this name');
  addListAction(command, { after: optionalText }, (reads, { after }) => {
    const now = Date.now();
    return {
      headings: ['NAME', 'ANIMALS', 'ACTIVE KEYS', 'CREATED'],
      toRow: ({ name, petCount, activeApiKeyCount, createdAt }: WorkspaceSummary) => [
        name,
        String(petCount),
        String(activeApiKeyCount),
        formatTime(createdAt),
      ],
      toJson: (workspace: WorkspaceSummary) => ({
        ...workspace,
        createdAt: formatTime(workspace.createdAt),
      }),
      first: after,
      async readPage(limit: number, afterName?: string) {
        const page = await reads.listWorkspaces(background, { limit, afterName }, now);
        return { items: page.items, next: page.next?.name };
      },
      moreText: (name: string) => `The list has more workspaces. Add --after ${name} to list them`,
    };
  });
}

function addDeleteCommand(workspaces: Command): void {
  const command = workspaces
    .command('delete')
    .description('Permanently delete a workspace with its animals, categories, orders and keys.')
    .argument('<name>', 'name of the workspace')
    .option('--yes', 'do not ask for confirmation');
  addSettings(command, databaseSettings).action(async (name: string, options: { yes?: true }) => {
    const config = settingsOf(command, databaseSettings);
    if (name === defaultWorkspaceName) {
      throw new CliFailure(`Workspace ${defaultWorkspaceName} cannot be deleted`);
    }
    await using database = await openExistingDatabase(config);
    const workspace = await database.findWorkspaceSummary(background, name, Date.now());
    if (workspace === undefined) throw noSuchWorkspace(name);
    requireTerminal(options.yes);
    const { petCount, activeApiKeyCount } = workspace;
    const contents = `${pluralize(petCount, 'animal')} and ${pluralize(activeApiKeyCount, 'active key')}`;
    const question = `Delete workspace ${name} with ${contents}, permanently? Type its name to confirm: `;
    if (options.yes === undefined && !(await confirm(question, name))) {
      throw new CliFailure('Nothing was deleted');
    }
    await deleteInSteps(database, workspace, await createRest(config));
    print(`Deleted workspace ${name} with ${contents}.`);
  });
}

async function deleteInSteps(
  writer: CommandWriter,
  { id, petCount }: WorkspaceSummary,
  rest: () => Promise<void>,
): Promise<void> {
  using progress = await startProgress('deleting animals', petCount);
  for (let gone = false; !gone; ) {
    const step = { id, rowsMax: deleteRowsMax, now: Date.now() };
    const { ok } = await writer.write(background, 'deleteWorkspaceStep', step);
    progress.add(ok.petsDeleted);
    gone = ok.gone;
    if (!gone) await rest();
  }
}
