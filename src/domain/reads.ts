import type { ApiKeyReads } from './api-key.ts';
import type { AuditReads } from './audit.ts';
import type { CategoryReads } from './category.ts';
import type { ConsoleReads, ConsoleSessionReads } from './console.ts';
import type { EventReads } from './event.ts';
import type { InventoryReads } from './inventory.ts';
import type { OrderReads } from './order.ts';
import type { PetReads } from './pet.ts';
import type { WorkspaceReads } from './workspace.ts';

/** Everything that can be read. */
export interface Reads
  extends PetReads,
    CategoryReads,
    OrderReads,
    InventoryReads,
    EventReads,
    WorkspaceReads,
    ApiKeyReads,
    ConsoleReads,
    ConsoleSessionReads,
    AuditReads {}
