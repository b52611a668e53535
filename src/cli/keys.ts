import type { Command } from 'commander';
import { addKeysCreateCommand } from './keys/create.ts';
import { addKeysListCommand } from './keys/list.ts';
import { addKeysRevokeCommand } from './keys/revoke.ts';
import { addKeysRotateCommand } from './keys/rotate.ts';

export function addKeysCommand(program: Command): void {
  const keys = program
    .command('keys')
    .description('Create, list, rotate and revoke API keys, also while the server runs.');
  addKeysCreateCommand(keys);
  addKeysListCommand(keys);
  addKeysRotateCommand(keys);
  addKeysRevokeCommand(keys);
}
