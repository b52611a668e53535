import { statusName } from './status.ts';

/** The screen with the events. A name of an animal or category is drawn between these words. */
export const texts = {
  readFailed: 'The events cannot be read',
  none: 'No events yet',
  noneHint: 'Every change to animals, orders and categories appears here.',
  reset: 'The data was restored from a backup',
  orderCreated: (id: bigint, petId: bigint) => `Order ${id} was placed for animal ${petId}`,
  orderUpdated: (id: bigint, petId: bigint, status: string) =>
    `Order ${id} for animal ${petId} is ${statusName(status)}`,
  created: 'was added',
  updated: 'was changed',
  deleted: 'was deleted',
  became: (status: string) => `became ${statusName(status)}`,
  renamed: 'was renamed to ',
  and: ', and ',
  pet: { before: '', after: (id: bigint) => ` (animal ${id}) ` },
  category: { before: 'Category ', after: (id: bigint) => ` (${id}) ` },
} as const;
