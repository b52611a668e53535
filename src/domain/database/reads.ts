import type { ApiKeyReads } from '../access/api-key.ts';
import type { AuditReads } from '../access/audit.ts';
import type { ConsoleReads, ConsoleSessionReads } from '../access/console.ts';
import type { WorkspaceReads } from '../access/workspace.ts';
import type { CategoryReads } from '../category.ts';
import type { EventReads } from '../event.ts';
import type { InventoryReads } from '../inventory.ts';
import type { OrderReads } from '../order.ts';
import type { PetReads } from '../pet.ts';

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
