import type { CommandName } from '../domain/database/command-writer.ts';
import type { Reads } from '../domain/database/registry.ts';
import { apiKeyCommands, createApiKeyReads } from './access/api-keys.ts';
import { createAuditReads } from './access/audit.ts';
import { consoleCommands, createConsoleReads } from './access/console.ts';
import { createWorkspaceReads, workspaceCommands } from './access/workspaces.ts';
import type { CommandTable } from './commands/command-table.ts';
import { idempotencyCommands } from './commands/idempotency.ts';
import { createEventReads } from './feed/events.ts';
import { eventCommands } from './feed/old-events.ts';
import { createMetaReads, metaCommands } from './meta.ts';
import { categoryCommands, createCategoryReads } from './records/categories.ts';
import { createOrderReads, orderCommands } from './records/orders.ts';
import { createPetReads, petCommands } from './records/pets.ts';
import { deliveryCommands } from './webhooks/deliveries.ts';
import { createWebhookReads } from './webhooks/webhook-reads.ts';
import { webhookCommands } from './webhooks/webhooks.ts';
import type { Within } from './within.ts';

/** Every read. */
export function createReads(within: Within): Reads {
  return {
    ...createPetReads(within),
    ...createCategoryReads(within),
    ...createOrderReads(within),
    ...createEventReads(within),
    ...createWebhookReads(within),
    ...createWorkspaceReads(within),
    ...createApiKeyReads(within),
    ...createConsoleReads(within),
    ...createAuditReads(within),
    ...createMetaReads(within),
  };
}

/** Commands that change no key, session or workspace, except its version and counts. */
const recordCommands = {
  ...petCommands,
  ...categoryCommands,
  ...orderCommands,
  ...eventCommands,
  ...webhookCommands,
  ...deliveryCommands,
  ...idempotencyCommands,
};

/** Every command. */
export const commands: CommandTable<CommandName> = {
  ...recordCommands,
  ...workspaceCommands,
  ...apiKeyCommands,
  ...consoleCommands,
  ...metaCommands,
};

/** Whether a caller has the same access before and after a command. `touch` shows that storage can be written. */
export function keepsAccess(name: CommandName): boolean {
  return name in recordCommands || name === 'touch';
}

/** Commands that take access away. They must also work on a full disk. */
const urgentCommands: ReadonlySet<CommandName> = new Set([
  'revokeApiKey',
  'rotateApiKey',
  'closeConsoleSession',
  'endConsoleSessions',
]);

export function isUrgent(name: CommandName): boolean {
  return urgentCommands.has(name);
}

/** Whether a command takes access away, so that nothing older may be read after it. */
export function removesAccess(name: CommandName): boolean {
  return isUrgent(name) || name === 'deleteWorkspaceStep';
}

/** Whether a command on the records of a workspace adds to the audit trail. */
export function isAudited(name: CommandName): boolean {
  return name in webhookCommands;
}
