import { andThen } from '../domain/awaitable.ts';
import type { Inventory, InventoryReads } from '../domain/inventory.ts';
import { petStatuses } from '../domain/pet.ts';
import type { Session } from './session.ts';
import { statement } from './statement.ts';

const counts = petStatuses.map((status) => `${status}_count AS ${status}`).join(', ');

const selectCounts = statement<Inventory>(
  `SELECT ${counts} FROM workspaces WHERE id = $1`,
  petStatuses,
);

export function createInventoryReads(session: Session): InventoryReads {
  return {
    readInventory: (workspaceId) =>
      andThen(session.all(selectCounts, [workspaceId]), ([found]) => found ?? none),
  };
}

const none: Inventory = { available: 0, pending: 0, sold: 0 };

const recount = petStatuses
  .map((status) => `count(name) FILTER (WHERE status = '${status}') AS ${status}`)
  .join(', ');
const differs = petStatuses
  .map((status) => `${status}_count <> coalesce(counted.${status}, 0)`)
  .join(' OR ');

// A column that is in no index of PostgreSQL: so the rows themselves are read.
const selectFaults = statement<{ fault: string }>(`
  SELECT 'Workspace ' || workspaces.name || ' counts other animals than it has' AS fault
  FROM workspaces LEFT JOIN (
    SELECT workspace_id, ${recount} FROM pets GROUP BY workspace_id
  ) AS counted ON workspace_id = workspaces.id
  WHERE ${differs}`);

/** A line for each workspace whose counts are not those of its animals. */
export async function findInventoryFaults(session: Session): Promise<readonly string[]> {
  return (await session.all(selectFaults)).map(({ fault }) => fault);
}
