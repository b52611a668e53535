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
 * Adds the options of settings to a command. Its help also lists settings that only the environment can set. `descriptions`
 * replaces descriptions that are about a server.
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
 * Reads the settings of a command.
 * @throws CliFailure with every fault: those of the settings, and `ownFaults`, which the command found in its own options.
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

/** Whether the user gave a setting. */
export function isGiven(command: Command, name: SettingName): boolean {
  return command.opts()[name] !== undefined || Boolean(process.env[settings[name].variable]);
}

/** Runs the program and returns its exit code. Failures are printed on standard error. */
export async function runProgram(program: Command, argv: readonly string[]): Promise<number> {
  const output = watchOutput();
  try {
    await program.parseAsync(argv, { from: 'user' });
    return output.hasFailed ? exitCodes.failed : exitCodes.done;
  } catch (error) {
    if (error instanceof CommanderError) {
      // Commander has printed the error. Help and version end with 0.
      return error.exitCode === 0 ? exitCodes.done : exitCodes.misused;
    }
    const lines = describe(error);
    // A stopped reader of standard error must not delay the end of the process.
    for (const line of lines) printWithoutWaiting(`animal-store: ${line}\n`);
    return error instanceof CliFailure ? error.exitCode : exitCodes.failed;
  }
}

/**
 * Handles errors of standard output. If the reader has gone, such as `head`, the command continues without a message. If the
 * disk is full, the command prints that once and fails.
 */
function watchOutput(): { readonly hasFailed: boolean } {
  let hasFailed = false;
  process.stdout.on('error', (error: Error) => {
    if (hasFailed || ('code' in error && error.code === 'EPIPE')) return;
    hasFailed = true;
    // The error may come after the command has ended.
    process.exitCode = exitCodes.failed;
    process.stderr.write(`animal-store: Standard output cannot be written: ${error.message}\n`);
  });
  // If standard error fails, no message can be shown.
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
