import { type Inventory, type InventoryReads, zeroCounts } from '../../domain/inventory.ts';
import { petStatuses } from '../../domain/pet.ts';
import { andThen } from '../../domain/values/awaitable.ts';
import type { Queryable } from '../queryable.ts';
import { statement } from '../statement.ts';

const counts = petStatuses.map((status) => `${status}_count AS ${status}`).join(', ');

const selectCounts = statement<Inventory>(
  `SELECT ${counts} FROM workspaces WHERE id = $1`,
  petStatuses,
);

export function createInventoryReads(queryable: Queryable): InventoryReads {
  return {
    readInventory: (workspaceId) =>
      andThen(queryable.all(selectCounts, [workspaceId]), ([found]) => found ?? zeroCounts()),
  };
}
