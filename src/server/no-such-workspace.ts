import { echo } from '../domain/echo.ts';
import { CommandFailure } from '../terminal/command-line.ts';

export function noSuchWorkspace(name: string): CommandFailure {
  return new CommandFailure([`There is no workspace ${echo(name)}`]);
}
