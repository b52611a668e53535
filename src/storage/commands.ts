import type { CommandName } from '../domain/commands.ts';
import { apiKeyCommands } from './api-keys.ts';
import { categoryCommands } from './categories.ts';
import type { CommandTable } from './command-table.ts';
import { consoleCommands } from './console.ts';
import { consoleSessionCommands } from './console-sessions.ts';
import { idempotencyCommands } from './idempotency.ts';
import { metaCommands } from './meta.ts';
import { eventCommands } from './old-events.ts';
import { orderCommands } from './orders.ts';
import { petCommands } from './pets.ts';
import { workspaceCommands } from './workspaces.ts';

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
