import type { PetStatus } from './pet.ts';
import type { Awaitable } from './values/awaitable.ts';
import type { Int64 } from './values/int64.ts';

/** How many animals there are of each status. */
export type Inventory = Readonly<Record<PetStatus, number>>;

/** Counts that start at zero. */
export function zeroCounts(): Record<PetStatus, number> {
  return { available: 0, pending: 0, sold: 0 };
}

export interface InventoryReads {
  /** The inventory of one workspace. It costs the same for any number of animals. */
  readInventory(workspaceId: Int64): Awaitable<Inventory>;
}
