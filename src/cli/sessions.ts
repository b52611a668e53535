import type { Command } from 'commander';
import { addSessionsEndCommand } from './sessions/end.ts';
import { addSessionsListCommand } from './sessions/list.ts';

export function addSessionsCommand(program: Command): void {
  const sessions = program
    .command('sessions')
    .description('List and end sessions of the console, also while the server runs.');
  addSessionsListCommand(sessions);
  addSessionsEndCommand(sessions);
}
