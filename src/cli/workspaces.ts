import { createInterface } from 'node:readline/promises';
import { type Command, Option } from 'commander';
import { echo } from '../domain/error.ts';
import { defaultWorkspaceName, isWorkspaceName, workspaceNameRule } from '../domain/workspace.ts';
import { addSettings, CommandFailure, settingsOf } from './command-line.ts';
import { databaseSettings, openDatabase, openExistingDatabase } from './open-database.ts';
import { counted, formatTime, print, printJson, printTable } from './print.ts';
import { startProgress } from './progress.ts';

/** A step of a deletion: long enough to be quick, short enough to let other writes through. */
const deleteRowsMax = 2000;

export function addWorkspacesCommand(program: Command): void {
  const workspaces = program
    .command('workspaces')
    .description('Create, list and delete workspaces: catalogues that know nothing of each other.');
  addCreate(workspaces);
  addList(workspaces);
  addDelete(workspaces);
}

function addCreate(workspaces: Command): void {
  const command = workspaces
    .command('create')
    .description('Create an empty workspace.')
    .argument('<name>', workspaceNameRule);
  addSettings(command, databaseSettings).action(async (name: string) => {
    const faults = isWorkspaceName(name) ? [] : [`NAME ${workspaceNameRule}, got ${echo(name)}`];
    const config = settingsOf(command, databaseSettings, faults);
    await using database = await openDatabase(config);
    const created = await database.write('createWorkspace', { name, now: Date.now() });
    if (created === 'name_taken') {
      throw new CommandFailure([`There is a workspace ${name} already`]);
    }
    print(
      `Created workspace ${name}. Make a key for it: keys create --workspace ${name} --name NAME`,
    );
  });
}

function addList(workspaces: Command): void {
  const command = workspaces
    .command('list')
    .description('List all workspaces, with their animals and active keys.')
    .addOption(new Option('--json', 'print JSON, for scripts'));
  addSettings(command, databaseSettings).action(async (options: { json?: true }) => {
    await using database = await openExistingDatabase(settingsOf(command, databaseSettings));
    const list = await database.listWorkspaces();
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

function addDelete(workspaces: Command): void {
  const command = workspaces
    .command('delete')
    .description('Delete a workspace with its animals and keys, for good.')
    .argument('<name>', 'name of the workspace')
    .option('--yes', 'do not ask');
  addSettings(command, databaseSettings).action(async (name: string, options: { yes?: true }) => {
    const canAsk = options.yes !== undefined || process.stdin.isTTY;
    const faults = canAsk ? [] : ['Without a terminal to ask on, say --yes to delete'];
    const config = settingsOf(command, databaseSettings, faults);
    if (name === defaultWorkspaceName) {
      throw new CommandFailure([`Workspace ${defaultWorkspaceName} cannot be deleted`]);
    }
    await using database = await openExistingDatabase(config);
    const [workspace] = await database.listWorkspaces(name);
    if (workspace === undefined) {
      throw new CommandFailure([`There is no workspace ${echo(name)}`]);
    }
    const { petCount, activeApiKeyCount } = workspace;
    const contents = `${counted(petCount, 'animal')} and ${counted(activeApiKeyCount, 'active key')}`;
    if (options.yes === undefined && !(await confirm(name, contents))) {
      throw new CommandFailure(['Nothing was deleted']);
    }
    {
      using progress = await startProgress('deleting animals', petCount);
      for (let gone = false; !gone; ) {
        const step = { workspaceId: workspace.id, rowsMax: deleteRowsMax, now: Date.now() };
        const result = await database.write('deleteWorkspaceStep', step);
        progress.add(result.petsDeleted);
        gone = result.gone;
      }
    }
    print(`Deleted workspace ${name} with ${contents}.`);
  });
}

async function confirm(name: string, contents: string): Promise<boolean> {
  const prompt = createInterface({ input: process.stdin, output: process.stderr });
  const question = `Delete workspace ${name} with ${contents}, for good? Type its name to go on: `;
  try {
    return (await prompt.question(question)).trim() === name;
  } catch (error) {
    // Ctrl-C and Ctrl-D say no as well, and leave the line unfinished.
    if (!(error instanceof Error && error.name === 'AbortError')) throw error;
    process.stderr.write('\n');
    return false;
  } finally {
    prompt.close();
  }
}
