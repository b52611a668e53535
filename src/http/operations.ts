import type { Operation } from './operation.ts';
import { eventOperations } from './operations/events.ts';
import { countInventory } from './operations/inventory.ts';
import { getKey } from './operations/key.ts';
import { kinds } from './operations/kinds.ts';
import { webhookOperations } from './operations/webhooks.ts';

/** Every operation of the interface. To add one, add it to the list of its file. */
export const operations: readonly Operation[] = [
  ...kinds.flatMap(({ operations }) => operations),
  countInventory,
  ...eventOperations,
  ...webhookOperations,
  getKey,
];
