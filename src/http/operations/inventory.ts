import { z } from 'zod';
import { petStatuses } from '../../domain/pet.ts';
import { andThen } from '../../domain/values/awaitable.ts';
import { defineRead, ok } from '../define-operation.ts';
import { int64Schema } from './schemas.ts';

const inventorySchema = z
  .object(
    Object.fromEntries(
      petStatuses.map((status) => [
        status,
        int64Schema.meta({
          description: `Animals that are \`${status}\`.`,
          override: { minimum: 0 },
          examples: [1],
        }),
      ]),
    ),
  )
  .meta({ id: 'Inventory', description: 'How many animals there are of each status.' });

const example = { available: 1, pending: 0, sold: 0 };

export const storeTag = {
  name: 'store',
  description: 'Orders for animals, and the number of animals of each status.',
};

export const countInventory = defineRead({
  operationId: 'countInventory',
  tag: storeTag,
  path: '/store/inventory',
  summary: 'Count animals',
  description: 'How many animals there are of each status.',
  scope: 'pets:read',
  stability: 'beta',
  successes: [ok('The number of animals of each status.', inventorySchema, example)],
  isCacheable: () => true,
  handle: (context, { workspaceId }, { readInventory }) =>
    andThen(readInventory(context, workspaceId), (inventory) => ({ body: inventory })),
});
