import { apiKeyCommands, createApiKeyReads } from './access/api-keys.ts';
import { createAuditReads } from './access/audit-trail.ts';
import { consoleCommands, createConsoleReads } from './access/console-sessions.ts';
import { createWorkspaceReads, workspaceCommands } from './access/workspaces.ts';
import type { CommandTable } from './commands/command-table.ts';
import { idempotencyCommands } from './commands/stored-results.ts';
import type { CommandName } from './contract/command-writer.ts';
import type { Reads } from './contract/reads-and-commands.ts';
import { createEventReads } from './feed/event-feed.ts';
import { eventCommands } from './feed/old-events.ts';
import { importCommands } from './imports/import-commands.ts';
import { createImportReads } from './imports/read-imports.ts';
import { createMetaReads, metaCommands } from './meta-row.ts';
import { categoryCommands, createCategoryReads } from './records/categories.ts';
import { createOrderReads, orderCommands } from './records/orders.ts';
import { createPetPositionReads } from './records/pet-positions.ts';
import { createPetReads, petCommands } from './records/pets.ts';
import { webhookCommands } from './webhooks/client-commands.ts';
import { deliveryCommands } from './webhooks/delivery-commands.ts';
import { createWebhookReads } from './webhooks/read-webhooks.ts';
import type { Within } from './within.ts';

/** Every read. */
export function createReads(within: Within): Reads {
  return {
    ...createPetReads(within),
    ...createPetPositionReads(within),
    ...createCategoryReads(within),
    ...createOrderReads(within),
    ...createEventReads(within),
    ...createImportReads(within),
    ...createWebhookReads(within),
    ...createWorkspaceReads(within),
    ...createApiKeyReads(within),
    ...createConsoleReads(within),
    ...createAuditReads(within),
    ...createMetaReads(within),
  };
}

/** Every command. */
export const commands: CommandTable<CommandName> = {
  ...petCommands,
  ...categoryCommands,
  ...orderCommands,
  ...eventCommands,
  ...importCommands,
  ...webhookCommands,
  ...deliveryCommands,
  ...idempotencyCommands,
  ...workspaceCommands,
  ...apiKeyCommands,
  ...consoleCommands,
  ...metaCommands,
};

export function removesAccess(name: CommandName): boolean {
  return commands[name].removesAccess !== undefined;
}
