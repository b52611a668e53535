import type { Operation } from './operation.ts';
import { categoryOperations } from './operations/categories.ts';
import { eventOperations } from './operations/events.ts';
import { countInventory } from './operations/inventory.ts';
import { orderOperations } from './operations/orders.ts';
import { petOperations } from './operations/pets.ts';

/** Every operation of the interface. To add one, add it to the list of its file. */
export const operations: readonly Operation[] = [
  ...petOperations,
  ...categoryOperations,
  ...orderOperations,
  countInventory,
  ...eventOperations,
];
