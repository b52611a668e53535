import type { z } from 'zod';
import type { Operation } from '../operation.ts';
import { categoryOperations, categorySchema } from './categories.ts';
import { orderOperations, orderSchema } from './orders.ts';
import { petOperations, petSchema } from './pets.ts';

interface Kind {
  readonly operations: readonly Operation[];
  /** The record in events. */
  readonly eventSchema: z.ZodObject;
}

/** The kinds of records. */
export const kinds: readonly Kind[] = [
  { operations: petOperations, eventSchema: petSchema },
  { operations: categoryOperations, eventSchema: categorySchema },
  { operations: orderOperations, eventSchema: orderSchema.omit({ note: true }) },
];
