import { Command } from 'commander';
import packageJson from '../../package.json' with { type: 'json' };
import { escapeHiddenInLines } from '../domain/values/visible-text.ts';
import { misused } from '../terminal/cli-failure.ts';

import { addAuditCommand } from './audit.ts';
import { addConsoleCommand } from './console.ts';
import { addAcceptRestoredCommand } from './data/accept-restored.ts';
import { addBackupCommand } from './data/backup.ts';
import { addCopyCommand } from './data/copy.ts';
import { addMigrateCommand } from './data/migrate.ts';
import { addRestoreCommand } from './data/restore.ts';
import { addVerifyCommand } from './data/verify.ts';
import { addDemoCommand } from './demo.ts';
import { addDeprecatedCallsCommand } from './deprecated-calls.ts';
import { addKeysCreateCommand } from './keys/create.ts';
import { addKeysListCommand } from './keys/list.ts';
import { addKeysRevokeCommand } from './keys/revoke.ts';
import { addKeysRotateCommand } from './keys/rotate.ts';
import { addOpenapiCommand } from './openapi.ts';
import { addServeCommand } from './serve.ts';
import { addSessionsEndCommand } from './sessions/end.ts';
import { addSessionsListCommand } from './sessions/list.ts';
import { addWorkspacesCreateCommand } from './workspaces/create.ts';
import { addWorkspacesDeleteCommand } from './workspaces/delete.ts';
import { addWorkspacesListCommand } from './workspaces/list.ts';

/** Declares every command. */
export function createProgram(): Command {
  const program = new Command('animal-store')
    .description(packageJson.description)
    .version(packageJson.version)
    .showHelpAfterError('(see --help)')
    .configureOutput({
      outputError: (text, write) =>
        write(escapeHiddenInLines(text.replace(/^error: /, 'animal-store: '))),
    })
    .addHelpText(
      'after',
      '\nExit codes: 0 success; 1 failure; 2 invalid command line, nothing was written.',
    );
  program.exitOverride();
  program.hook('preAction', refuseEmptyArguments);
  addServeCommand(program);
  addConsoleCommand(program);
  addGroup(
    program,
    'keys',
    'Create, list, rotate and revoke API keys, also while the server runs.',
    [addKeysCreateCommand, addKeysListCommand, addKeysRotateCommand, addKeysRevokeCommand],
  );
  addGroup(
    program,
    'workspaces',
    'Create, list and delete workspaces: separate catalogues, each with its own keys.',
    [addWorkspacesCreateCommand, addWorkspacesListCommand, addWorkspacesDeleteCommand],
  );
  addGroup(
    program,
    'sessions',
    'List and end sessions of the console, also while the server runs.',
    [addSessionsListCommand, addSessionsEndCommand],
  );
  addDeprecatedCallsCommand(program);
  addAuditCommand(program);
  addCopyCommand(program);
  addBackupCommand(program);
  addRestoreCommand(program);
  addVerifyCommand(program);
  addMigrateCommand(program);
  addAcceptRestoredCommand(program);
  addDemoCommand(program);
  addOpenapiCommand(program);
  return program;
}

function addGroup(
  program: Command,
  name: string,
  description: string,
  commands: readonly ((group: Command) => void)[],
): void {
  const group = program.command(name).description(description);
  for (const addCommand of commands) addCommand(group);
}

/** A variable of the shell that is not set becomes an empty argument. */
function refuseEmptyArguments(_program: Command, { args, registeredArguments }: Command): void {
  const index = args.indexOf('');
  if (index === -1) return;
  const name = registeredArguments[index]?.name() ?? 'argument';
  throw misused(`${name.toUpperCase()} must not be empty`);
}
