import type { Reads } from '../domain/reads.ts';
import { createApiKeyReads } from './api-keys.ts';
import { createAuditReads } from './audit.ts';
import { createCategoryReads } from './categories.ts';
import { createConsoleReads } from './console.ts';
import { createConsoleSessionReads } from './console-sessions.ts';
import { createEventReads } from './events.ts';
import { createInventoryReads } from './inventory.ts';
import { createOrderReads } from './orders.ts';
import { createPetReads } from './pets.ts';
import type { Session } from './session.ts';
import { createWorkspaceReads } from './workspaces.ts';

/** How everything is read. */
export function createReads(session: Session): Reads {
  return {
    ...createPetReads(session),
    ...createCategoryReads(session),
    ...createOrderReads(session),
    ...createInventoryReads(session),
    ...createEventReads(session),
    ...createWorkspaceReads(session),
    ...createApiKeyReads(session),
    ...createConsoleReads(session),
    ...createConsoleSessionReads(session),
    ...createAuditReads(session),
  };
}
