import { type Command, CommanderError, Option } from 'commander';
import {
  DatabaseOutcomeUnknown,
  DatabaseUnavailable,
  DatabaseUnusable,
} from '../domain/database/database-error.ts';
import { escapeHidden, escapeHiddenInLines } from '../domain/values/visible-text.ts';
import { type Config, readSettings, type SettingName, settings } from '../ops/config.ts';
import { printWithoutWaiting } from '../ops/output.ts';
import { CliFailure, exitCodes, misused } from './cli-failure.ts';

export function jsonOption(): Option {
  return new Option('--json', 'print JSON');
}

/**
 * Adds the options of these settings to a command, and lists in its help those that only the environment can set.
 * `descriptions` replaces descriptions that are about a server.
 */
export function addSettings(
  command: Command,
  names: readonly SettingName[],
  descriptions: Partial<Record<SettingName, string>> = {},
): Command {
  for (const name of names) {
    const { flag, variable, default: fallback } = settings[name];
    const description = descriptions[name] ?? settings[name].description;
    const notes = `env: ${variable}${fallback === undefined ? '' : `, default: ${fallback}`}`;
    if (flag === undefined) {
      command.addHelpText(
        'after',
        `\nFrom the environment only:\n  ${variable}\n      ${description}`,
      );
    } else {
      command.addOption(new Option(flag, `${description} (${notes})`));
    }
  }
  return command;
}

/**
 * The settings of a command, or a failure that lists every fault: those of the settings and those that the
 * command found in its own options.
 */
export function settingsOf<Names extends SettingName>(
  command: Command,
  names: readonly Names[],
  ownFaults: readonly string[] = [],
): Config<Names> {
  const { config, faults } = readSettings(names, command.opts(), process.env);
  const allFaults = [...faults, ...ownFaults];
  if (config === undefined || allFaults.length > 0) throw misused(...allFaults);
  return config;
}

/** Whether a setting was given, and not left to its default. */
export function isGiven(command: Command, name: SettingName): boolean {
  return command.opts()[name] !== undefined || Boolean(process.env[settings[name].variable]);
}

/** Runs the program and returns its exit code. Every failure is told on standard error, a line each. */
export async function runProgram(program: Command, argv: readonly string[]): Promise<number> {
  const output = watchOutput();
  try {
    await program.parseAsync(argv, { from: 'user' });
    return output.hasFailed ? exitCodes.failed : exitCodes.done;
  } catch (error) {
    if (error instanceof CommanderError) {
      // Commander has told it already; help and version end with 0, the rest were mistakes.
      return error.exitCode === 0 ? exitCodes.done : exitCodes.misused;
    }
    const lines = describe(error);
    // The exit code does not depend on the reader of standard error.
    for (const line of lines) printWithoutWaiting(`animal-store: ${line}\n`);
    return error instanceof CliFailure ? error.exitCode : exitCodes.failed;
  }
}

/**
 * Keeps a command from dying of its output. A reader that has read enough, such as `head`, is nothing to tell of: the
 * command goes on quietly to its end. Where the disk is full, that is told once, and `hasFailed`.
 */
function watchOutput(): { readonly hasFailed: boolean } {
  let hasFailed = false;
  process.stdout.on('error', (error: Error) => {
    if (hasFailed || ('code' in error && error.code === 'EPIPE')) return;
    hasFailed = true;
    // It may come after the command has ended.
    process.exitCode = exitCodes.failed;
    process.stderr.write(`animal-store: Standard output cannot be written: ${error.message}\n`);
  });
  // Where nobody can be told, nobody is.
  process.stderr.on('error', () => {});
  return {
    get hasFailed() {
      return hasFailed;
    },
  };
}

const databaseErrors = [DatabaseUnusable, DatabaseUnavailable, DatabaseOutcomeUnknown];

function describe(error: unknown): readonly string[] {
  if (error instanceof CliFailure) return error.lines.map(escapeHidden);
  if (databaseErrors.some((databaseError) => error instanceof databaseError)) {
    return [escapeHidden((error as Error).message)];
  }
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return [escapeHiddenInLines(text)];
}
