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
import { addEventsCommand } from './events.ts';
import { addHealthCommand } from './health.ts';
import { addKeysCommands } from './keys.ts';
import { addLicensesCommand } from './licenses.ts';
import { addListenCommand } from './listen/listen.ts';
import { addOpenapiCommand } from './openapi.ts';
import { addServeCommand } from './serve.ts';
import { addSessionsCommands } from './sessions.ts';
import { addWebhooksCommands } from './webhooks.ts';
import { addWorkspacesCommands } from './workspaces.ts';

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
  addHealthCommand(program);
  addConsoleCommand(program);
  addKeysCommands(program);
  addWorkspacesCommands(program);
  addSessionsCommands(program);
  addWebhooksCommands(program);
  addDeprecatedCallsCommand(program);
  addEventsCommand(program);
  addAuditCommand(program);
  addCopyCommand(program);
  addBackupCommand(program);
  addRestoreCommand(program);
  addVerifyCommand(program);
  addMigrateCommand(program);
  addAcceptRestoredCommand(program);
  addListenCommand(program);
  addDemoCommand(program);
  addOpenapiCommand(program);
  addLicensesCommand(program);
  return program;
}

/** A variable of the shell that is not set becomes an empty argument. */
function refuseEmptyArguments(_program: Command, { args, registeredArguments }: Command): void {
  const index = args.indexOf('');
  if (index === -1) return;
  const name = registeredArguments[index]?.name() ?? 'argument';
  throw misused(`${name.toUpperCase()} must not be empty`);
}
