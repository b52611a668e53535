import type { CommandName } from '../../domain/database/commands.ts';
import { apiKeyCommands } from '../access/api-keys.ts';
import { consoleCommands } from '../access/console.ts';
import { consoleSessionCommands } from '../access/console-sessions.ts';
import { workspaceCommands } from '../access/workspaces.ts';
import { eventCommands } from '../feed/old-events.ts';
import { metaCommands } from '../meta.ts';
import { categoryCommands } from '../records/categories.ts';
import { orderCommands } from '../records/orders.ts';
import { petCommands } from '../records/pets.ts';
import type { CommandTable } from './command-table.ts';
import { idempotencyCommands } from './idempotency.ts';

/** How every command is run. */
export const commands: CommandTable<CommandName> = {
  ...petCommands,
  ...categoryCommands,
  ...orderCommands,
  ...eventCommands,
  ...workspaceCommands,
  ...apiKeyCommands,
  ...consoleCommands,
  ...consoleSessionCommands,
  ...idempotencyCommands,
  ...metaCommands,
};
