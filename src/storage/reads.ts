import type { Reads } from '../domain/database/reads.ts';
import { createApiKeyReads } from './access/api-keys.ts';
import { createAuditReads } from './access/audit.ts';
import { createConsoleReads } from './access/console.ts';
import { createConsoleSessionReads } from './access/console-sessions.ts';
import { createWorkspaceReads } from './access/workspaces.ts';
import { createEventReads } from './feed/events.ts';
import type { Queryable } from './queryable.ts';
import { createCategoryReads } from './records/categories.ts';
import { createInventoryReads } from './records/inventory.ts';
import { createOrderReads } from './records/orders.ts';
import { createPetReads } from './records/pets.ts';

/** How everything is read. */
export function createReads(queryable: Queryable): Reads {
  return {
    ...createPetReads(queryable),
    ...createCategoryReads(queryable),
    ...createOrderReads(queryable),
    ...createInventoryReads(queryable),
    ...createEventReads(queryable),
    ...createWorkspaceReads(queryable),
    ...createApiKeyReads(queryable),
    ...createConsoleReads(queryable),
    ...createConsoleSessionReads(queryable),
    ...createAuditReads(queryable),
  };
}
