import type { InventoryReads } from '../../../domain/inventory.ts';
import { andThen } from '../../../domain/values/awaitable.ts';
import { defineRead } from '../../operation.ts';
import { ok } from '../responses.ts';
import { inventorySchema } from './inventory-schema.ts';

export const countInventory = defineRead({
  operationId: 'countInventory',
  tag: 'store',
  method: 'GET',
  path: '/store/inventory',
  summary: 'Count animals',
  description: 'How many animals there are of each status.',
  scope: 'pets:read',
  stability: 'beta',
  successes: [
    ok('The number of animals of each status.', inventorySchema, {
      available: 1,
      pending: 0,
      sold: 0,
    }),
  ],
  isCacheable: () => true,
  handle: ({ workspaceId }, { readInventory }: InventoryReads) =>
    andThen(readInventory(workspaceId), ({ available, pending, sold }) => ({
      body: { available, pending, sold },
    })),
});
