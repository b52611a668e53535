import { type Command, CommanderError, Option } from 'commander';
import { echo } from '../domain/echo.ts';
import { escapeHidden, escapeHiddenInLines } from '../domain/values/visible-text.ts';
import { type Config, flagName, type SettingName, settings } from '../ops/config.ts';
import { writeStderrUnawaited } from '../ops/output.ts';
import type { Parsed } from '../ops/setting-values.ts';
import {
  DatabaseOutcomeUnknown,
  DatabaseUnavailable,
  DatabaseUnusable,
} from '../storage/contract/database-error.ts';
import { CliFailure, exitCodes, misused } from './cli-failure.ts';
import { readVariable } from './variables.ts';

/**
 * Adds the options of settings to a command. Its help also lists settings that only the environment can set. `descriptions`
 * replaces descriptions that are about a server.
 */
export function addSettings(
  command: Command,
  names: readonly SettingName[],
  descriptions: Partial<Record<SettingName, string>> = {},
): Command {
  const onlyVariables: string[] = [];
  for (const name of names) {
    const { flag, variable, default: fallback } = settings[name];
    const description = descriptions[name] ?? settings[name].description;
    const notes = `env: ${variable}${fallback === undefined ? '' : `, default: ${fallback}`}`;
    if (flag === undefined) {
      onlyVariables.push(`  ${variable}\n      ${description}`);
    } else {
      command.addOption(new Option(flag, `${description} (${notes})`));
    }
  }
  if (onlyVariables.length > 0) {
    command.addHelpText('after', ['\nFrom the environment only:', ...onlyVariables].join('\n'));
  }
  return command;
}

type Parse<Value> = (text: string) => Parsed<Value>;

/** How the options and arguments of a command are read, by the names that Commander gives them. */
export type Parsers<Values> = { readonly [Name in keyof Values]: Parse<Values[Name]> };

/** Reads an option that may be left out. Commander requires all other options, or gives them a default. */
export function optional<Value>(parse: Parse<Value>): Parse<Value | undefined> {
  return parse;
}

/**
 * Reads the settings of a command, and its own options and arguments that have a parser.
 * @throws CliFailure with every fault of these, and with `moreFaults`, which the command found itself.
 */
export function settingsOf<Names extends SettingName, Values extends object>(
  command: Command,
  names: readonly Names[],
  parsers?: Parsers<Values>,
  moreFaults: readonly string[] = [],
): Config<Names> & Values {
  const given: Record<string, unknown> = { ...command.opts() };
  for (const [index, argument] of command.registeredArguments.entries()) {
    given[argument.name()] = command.args[index];
  }
  const values: Record<string, unknown> = {};
  const faults: string[] = [];
  function read(name: string, label: string, text: string, parse: Parse<unknown>): void {
    const parsed = parse(text);
    if ('value' in parsed) values[name] = parsed.value;
    else if (parsed.isSecret) faults.push(`${label} must be ${parsed.mustBe}`);
    else faults.push(`${label} must be ${parsed.mustBe}, got ${echo(text)}`);
  }
  for (const name of names) {
    const { flag, variable, default: fallback, parse } = settings[name];
    // For a flag without a value, Commander sets `true`, and for one that begins with --no, `false`, or `true` if it is not given.
    const isOfFlag = given[name] === !flag?.startsWith('--no-');
    const flagText = isOfFlag ? String(given[name]) : given[name];
    const text = readVariable(variable) ?? fallback;
    if (typeof flagText === 'string') read(name, flagName(flag ?? ''), flagText, parse);
    else if (text !== undefined) read(name, variable, text, parse);
  }
  for (const [name, parse] of Object.entries<Parse<unknown>>(parsers ?? {})) {
    const option = command.options.find((each) => each.attributeName() === name);
    const text = given[name];
    if (typeof text === 'string') read(name, option?.long ?? name.toUpperCase(), text, parse);
  }
  faults.push(...moreFaults);
  if (faults.length > 0) throw misused(...faults);
  return values as Config<Names> & Values;
}

/** Whether the user gave a setting. */
export function isGiven(command: Command, name: SettingName): boolean {
  return command.opts()[name] !== undefined || readVariable(settings[name].variable) !== undefined;
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
    for (const line of lines) writeStderrUnawaited(`animal-store: ${line}\n`);
    return error instanceof CliFailure ? error.exitCode : exitCodes.failed;
  }
}

/**
 * Handles errors of standard output. If the reader has gone, such as `head`, the command continues without a message. If the
 * disk is full, the command prints that once and fails.
 */
function watchOutput(): { readonly hasFailed: boolean } {
  const output = { hasFailed: false };
  process.stdout.on('error', (error: Error) => {
    if (output.hasFailed || ('code' in error && error.code === 'EPIPE')) return;
    output.hasFailed = true;
    // The error may come after the command has ended.
    process.exitCode = exitCodes.failed;
    process.stderr.write(`animal-store: Standard output cannot be written: ${error.message}\n`);
  });
  // If standard error fails, no message can be shown.
  process.stderr.on('error', () => {});
  return output;
}

function describe(error: unknown): readonly string[] {
  if (error instanceof CliFailure) return error.lines.map(escapeHidden);
  if (
    error instanceof DatabaseUnusable ||
    error instanceof DatabaseUnavailable ||
    error instanceof DatabaseOutcomeUnknown
  ) {
    return [escapeHidden(error.message)];
  }
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return [escapeHiddenInLines(text)];
}
