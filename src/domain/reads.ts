import type { ApiKeyReads } from './api-key.ts';
import type { AuditReads } from './audit.ts';
import type { CategoryReads } from './category.ts';
import type { PetReads } from './pet.ts';
import type { WorkspaceReads } from './workspace.ts';

/** Everything that can be read. */
export interface Reads extends PetReads, CategoryReads, WorkspaceReads, ApiKeyReads, AuditReads {}
