import type { Reads } from '../domain/reads.ts';
import { createApiKeyReads } from './api-keys.ts';
import { createAuditReads } from './audit.ts';
import { createCategoryReads } from './categories.ts';
import { createPetReads } from './pets.ts';
import type { Session, Snapshot } from './session.ts';
import { createWorkspaceReads } from './workspaces.ts';

/** How everything is read. What may take long is read from a snapshot. */
export function createReads(session: Session, openSnapshot: () => Promise<Snapshot>): Reads {
  return {
    ...createPetReads(session),
    ...createCategoryReads(session),
    ...createWorkspaceReads(session, openSnapshot),
    ...createApiKeyReads(session),
    ...createAuditReads(session),
  };
}
