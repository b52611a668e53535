import { echo } from '../domain/error.ts';
import { CommandFailure } from '../terminal/command-line.ts';

export function noSuchWorkspace(name: string): CommandFailure {
  return new CommandFailure([`There is no workspace ${echo(name)}`]);
}
