import { z } from 'zod';
import { petStatuses } from '../../../domain/pet.ts';
import { int64Schema } from '../schemas.ts';

export const inventorySchema = z
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
