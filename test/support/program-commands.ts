import type { Argument, Command, Option } from 'commander';
import { createProgram } from '../../src/cli/program.ts';

/** A command that runs, such as `keys create`. */
export interface ProgramCommand {
  readonly name: string;
  /** With its arguments, such as `keys rotate <id>`. */
  readonly usage: string;
  readonly description: string;
  readonly options: readonly Option[];
}

/** Every command of the program, in the order of its help. */
export function programCommands(): readonly ProgramCommand[] {
  return createProgram().commands.flatMap((command) => runnableCommands(command, ''));
}

function runnableCommands(command: Command, before: string): ProgramCommand[] {
  const name = `${before}${command.name()}`;
  if (command.commands.length > 0) {
    return command.commands.flatMap((each) => runnableCommands(each, `${name} `));
  }
  const usage = [name, ...command.registeredArguments.map(describeArgument)].join(' ');
  const { options } = command;
  return [{ name, usage, description: command.description(), options }];
}

function describeArgument(argument: Argument): string {
  const name = `${argument.name()}${argument.variadic ? '...' : ''}`;
  return argument.required ? `<${name}>` : `[${name}]`;
}
